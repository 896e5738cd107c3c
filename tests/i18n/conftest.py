"""All languages, for the tests of languages."""

from collections.abc import Iterator

import pytest

from kalends.core.i18n.catalogs import LANGUAGES, OFFERED


@pytest.fixture(autouse=True)
def all_offered() -> Iterator[None]:
    """Also the languages whose translation is under way."""
    offered = OFFERED.copy()
    OFFERED[:] = LANGUAGES
    yield
    OFFERED[:] = offered
