"""The question whether guests are emailed: in a dialog with scripts, on a page of its own without."""

import pytest
from playwright.sync_api import expect

from tests.cast import Cast, a_response, an_event
from tests.web.windows import NARROW, WIDE, Windows, go


@pytest.mark.parametrize(("answer", "mails"), [("Save and email 1 person", 1), ("Save without emailing", 0)])
@pytest.mark.parametrize(("script", "width"), [(True, WIDE), (False, NARROW)])
def test_a_change_that_emails_guests_asks_first(windows: Windows, people: Cast, script: bool, width: int, answer: str, mails: int) -> None:
    event = an_event(people.alice, public=True, start_time="2037-06-01T20:00", end_time="2037-06-01T22:00")
    a_response(people.bob, event)
    page = windows.open(people.alice, script=script, width=width)
    go(page, f"/events/{event['id']}/edit")
    page.get_by_label("Start time").fill("19:00")
    if script:
        page.get_by_label("Start time").blur()
        expect(page.get_by_label("End time")).to_have_value("21:00")
        expect(page.get_by_text("The end has moved along with the start.")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Email 1 person about the new time?")).to_be_visible()
    assert page.get_by_role("dialog").count() == script
    expect(page.get_by_text("1 person would be emailed: 1 going.")).to_be_visible()
    page.get_by_role("button", name="Keep editing").click()
    expect(page.get_by_label("Start time")).to_have_value("19:00")
    assert people.alice.get(f"/api/events/{event['id']}").json["start_time"][11:16] == "20:00"
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name=answer).click()
    said = "1 person should know, but this site sends no email." if mails else "Nobody was emailed."
    expect(page.get_by_role("status").filter(has_text="Event saved.")).to_contain_text(f"Event saved. {said}")
    deliveries = people.alice.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]
    assert sum(each["kind"] == "change" for each in deliveries) == mails
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
