"""An organiser publishes an event, and passes on the address at which they are: with scripts and without, on a phone and on a laptop."""

from uuid import uuid4

from playwright.sync_api import expect

from tests.cast import Cast, a_contact, an_event
from tests.web.axe import violations
from tests.web.windows import ON_PHONE_AND_LAPTOP, Windows, go


@ON_PHONE_AND_LAPTOP
def test_guests_can_open_the_address_that_an_organiser_is_at_after_publishing(
    windows: Windows, people: Cast, width: int, script: bool
) -> None:
    title = f"Board game night {uuid4().hex[:6]}"
    page = windows.open(people.alice, width=width, script=script)
    go(page, "/events/new")
    page.fill("[name=title]", title)
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    expect(page.get_by_label("Link for guests")).to_have_value(page.url)
    expect(page.get_by_role("button", name="Copy")).to_have_count(1 if script else 0)
    guest = windows.open(width=width, script=script)
    guest.goto(page.url)
    expect(guest.get_by_role("heading", level=1)).to_have_text(title)
    expect(guest.get_by_role("link", name="Guests", exact=True)).to_have_count(0)


@ON_PHONE_AND_LAPTOP
def test_addresses_are_invited(windows: Windows, people: Cast, width: int, script: bool) -> None:
    ana, ben, cleo = (f"{name}-{uuid4().hex[:6]}@example.org" for name in ("ana", "ben", "cleo"))
    event = an_event(people.alice, visibility="link", start_time="2031-06-01T20:00")
    page = windows.open(people.alice, width=width, script=script)
    go(page, f"/events/{event['id']}/invitations")
    field = page.get_by_label("More addresses")
    if script:
        field.press_sequentially(f"{ana}, ")
        field.press_sequentially(cleo)
        field.press("Enter")
        field.press_sequentially(ben)
        chips = page.locator("[data-addresses] .chip bdi")
        expect(chips).to_have_text([ana, cleo])
        assert violations(page) == []
        page.get_by_role("button", name=f"Remove {cleo}").click()
        expect(chips).to_have_text([ana, ben])
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    else:
        field.fill(f"{ana}, {ben}")
    page.get_by_role("button", name="Review before sending").click()
    page.get_by_role("button", name="Invite 2 people").click()
    expect(page.get_by_role("status").first).to_contain_text("2 people are invited.")
    for address in (ana, ben):
        expect(page.get_by_role("row", name=address)).to_contain_text("Invited")


@ON_PHONE_AND_LAPTOP
def test_contacts_are_invited_and_stand_among_the_guests(windows: Windows, people: Cast, width: int, script: bool) -> None:
    names = [f"{name}-{uuid4().hex[:6]}" for name in ("ana", "ben")]
    for name in names:
        a_contact(people.alice, first_name=name, email_address=f"{name}@example.org")
    event = an_event(people.alice, visibility="link", start_time="2031-06-01T20:00")
    page = windows.open(people.alice, width=width, script=script)
    go(page, f"/events/{event['id']}")
    page.get_by_role("link", name="Invite", exact=True).click()
    for name in names:
        page.get_by_role("checkbox", name=name).check()
    if script:
        expect(page.get_by_text("2 selected")).to_be_visible()
    page.get_by_role("button", name="Review before sending").click()
    page.get_by_role("button", name="Invite 2 people").click()
    expect(page.get_by_role("status").first).to_contain_text("2 people are invited.")
    expect(page.get_by_role("link", name="Invited 2")).to_have_attribute("aria-current", "page")
    for name in names:
        expect(page.get_by_role("row", name=name)).to_contain_text("Invited")
    page.get_by_role("checkbox", name=names[0]).check()
    if script:
        expect(page.get_by_text("1 selected")).to_be_visible()
    page.get_by_text("Set answer…").click()
    page.get_by_role("button", name="Going", exact=True).click()
    expect(page.get_by_role("row", name=names[0])).to_contain_text("Going")
    expect(page.get_by_role("row", name=names[1])).to_contain_text("Invited")
