"""GET /api/calendars/<id>/edit."""

import pytest

from tests.calendars.test_create import JAZZ
from tests.cast import Cast, a_calendar
from tests.conftest import Clock

pytestmark = pytest.mark.on_one_database


def test_edit_returns_fields_that_update_accepts(cast: Cast, clock: Clock) -> None:
    for calendar in (a_calendar(cast.alice, **JAZZ), a_calendar(cast.alice)):
        path = f"/api/calendars/{calendar['id']}"
        form = cast.alice.get(f"{path}/edit")
        assert (form.status, set(form.json)) == (200, set(JAZZ))
        assert form.json.items() <= calendar.items()
        clock.ahead(60)
        updated = cast.alice.put(path, json=form.json).json
        assert updated | {"updated_at": ""} == calendar | {"updated_at": ""}
