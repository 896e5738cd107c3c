"""Services on databases of their own: the settings of a site are those of all who read it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kalends.core.settings import Settings
from tests.http.stored_rows import FreshService, fresh_service
from tests.site.administrator import Admin


@pytest.fixture
def site(settings: Settings, tmp_path: Path) -> Iterator[FreshService]:
    with fresh_service(settings, tmp_path) as service:
        yield service


@pytest.fixture
def admin(site: FreshService) -> Admin:
    return Admin(site.guest, "ada")
