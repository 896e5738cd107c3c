"""Inviting, writing, reminding and announcing in a browser: a preview and the number of people before anything is sent."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from kalends.core.settings import Settings
from tests.cast import Cast, Person, a_contact, a_response, an_event
from tests.openapi.serving import Service
from tests.subscribers.confirmations import confirmed
from tests.web.windows import NARROW, Windows, go


@pytest.mark.parametrize("script", [pytest.param(True, marks=pytest.mark.soak), False], ids=["with scripts", "without scripts"])
def test_an_organiser_notifies_people_of_an_event(windows: Windows, people: Cast, folder: Path, service: Service, script: bool) -> None:
    alice, settings = people.alice, Settings(data=str(folder), base_url=service.url)
    event = an_event(alice, public=True, title="Choir", start_time="2030-06-01T20:00", time_zone="Europe/Paris")
    for name, response in (("gus", "YES"), ("hal", "MAYBE"), ("ida", "NO")):
        a_response(people.anonymous, event, email_address=f"{name}@example.org", response=response, opt_in=name != "ida")
    confirmed(alice, settings, "gus@example.org", "hal@example.org")
    page = windows.open(alice, script=script, width=NARROW)
    _invite(page, alice, event)
    _write(page, alice, event)
    _remind(page, event)
    _announce(page, alice, event)


def _invite(page: Page, alice: Person, event: dict[str, Any]) -> None:
    for name, tag in (("Ana", "choir"), ("Ben", "family"), ("Zoe", "")):
        a_contact(alice, first_name=name, email_address=f"{name.lower()}@example.com", tag_list=tag)
    go(page, f"/events/{event['id']}")
    page.get_by_role("link", name="Invite", exact=True).click()
    page.get_by_label("Message (optional)").fill("Bring your scores")
    contacts = page.get_by_role("list", name="Contacts").get_by_role("listitem")
    for tag, name, other in (("choir", "Ana", "Ben"), ("family", "Ben", "Zoe")):
        page.get_by_role("group", name="Tags").get_by_role("button", name=re.compile(rf"^{tag} \d+$")).click()
        expect(contacts.filter(has_text=other)).to_have_count(0)
        contacts.filter(has_text=name).get_by_role("checkbox").check()
    page.get_by_role("button", name="Review before sending").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Invite 2 people?")
    expect(page.locator(".card")).to_contain_text("Bring your scores")
    assert _invited(alice, event) == []
    page.get_by_role("button", name="Invite 2 people").click()
    expect(page.get_by_role("status").first).to_contain_text("2 people are invited.")
    expect(page.get_by_role("row", name="ana@example.com")).to_contain_text("Invited")
    assert _invited(alice, event) == ["ana@example.com", "ben@example.com"]


def _write(page: Page, alice: Person, event: dict[str, Any]) -> None:
    go(page, f"/events/{event['id']}")
    page.get_by_role("link", name="Messages", exact=True).click()
    page.get_by_label("Maybe").check()
    page.get_by_label("Invited, no reply yet").check()
    page.get_by_label("Subject").fill("Chairs")
    page.get_by_role("textbox", name="Message").fill("Bring one.")
    page.get_by_role("button", name="Review before sending").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Send to 4 people?")
    expect(page.locator(".card")).to_contain_text("Bring one.")
    path = f"/api/events/{event['id']}/messages"
    assert alice.get(path).json["messages"] == []
    page.get_by_role("button", name="Send to 4 people").click()
    expect(page.get_by_role("status").first).to_contain_text("Not sent to 4 people")
    expect(page.get_by_role("listitem").filter(has_text="Chairs")).to_contain_text("Sending to 4 people")
    assert [each["mails"] for each in alice.get(path).json["messages"]] == [4]


def _remind(page: Page, event: dict[str, Any]) -> None:
    go(page, f"/events/{event['id']}")
    page.get_by_role("link", name="Edit", exact=True).click()
    page.get_by_role("link", name="Reminders", exact=True).click()
    page.get_by_role("button", name="Add reminder").click()
    reminder = page.get_by_role("listitem").filter(has_text="by email to")
    expect(reminder).to_contain_text("1 day before, by email to people who are going and people who might go")
    expect(reminder).to_contain_text("Will remind 2 people on")
    reminder.get_by_role("link", name="Edit").click()
    page.get_by_label("When").select_option("At the day and time below")
    page.get_by_label("Days before").fill("2")
    page.get_by_label("Maybe").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status").first).to_contain_text("Saved")
    expect(reminder).to_contain_text("2 days before at 18:00, by email to people who are going")
    expect(reminder).to_contain_text("Will remind 1 person on 30 May 2030, 18:00")
    reminder.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("None yet.")).to_be_visible()


def _announce(page: Page, alice: Person, event: dict[str, Any]) -> None:
    go(page, f"/events/{event['id']}")
    page.get_by_role("link", name="Announce to 2 subscribers").click()
    expect(page.get_by_role("heading", level=2).first).to_have_text("Send to 2 people?")
    expect(page.locator(".card")).to_contain_text("Saturday, 1 June 2030, 20:00 (Europe/Paris)")
    page.get_by_role("button", name="Send to 2 people").click()
    expect(page.get_by_role("status").first).to_contain_text("Not sent to 2 people")
    sent = alice.get(f"/api/deliveries?event_id={event['id']}").json["deliveries"]
    assert sorted(each["address"] for each in sent if each["kind"] == "announce") == ["gus@example.org", "hal@example.org"]


def _invited(alice: Person, event: dict[str, Any]) -> list[str]:
    rows = alice.get(f"/api/events/{event['id']}/invitations").json["invitations"]
    return [row["address"] for row in rows]
