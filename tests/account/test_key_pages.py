"""Keys on pages: they are created, shown once and deleted."""

import re
from html import unescape

from kalends.core.values import timestamps
from tests.cast import Cast, a_calendar, a_key
from tests.conftest import NOON
from tests.sessions.digests import signed


def value_on_page(page: str, name: str) -> str:
    match = re.search(rf'<input id="{name}" type="text" value="([^"]+)"', page)
    assert match, name
    return unescape(match[1])


def test_a_key_is_shown_once_and_works(cast: Cast) -> None:
    page = cast.alice.post("/account/keys", data={"name": "my <backup>"})
    assert (page.status, page.headers["Cache-Control"]) == (200, "no-store")
    assert "my &lt;backup&gt;" in page.text
    wkey, secret = value_on_page(page.text, "wkey"), value_on_page(page.text, "shared_secret")
    assert cast.anonymous.signed_in(wkey).get("/api/calendars").status == 200
    (key,) = cast.alice.get("/api/keys").json["keys"]
    login = signed(key | {"shared_secret": secret}, "2026-05-28T20:26:40Z")
    assert cast.anonymous.post("/api/session", json=login).status == 201
    listed = cast.alice.get("/account").text
    assert "my &lt;backup&gt;" in listed
    assert key["id"] in listed
    assert wkey not in listed
    assert secret not in listed


def test_a_key_without_a_name_is_not_created(cast: Cast) -> None:
    reply = cast.alice.post("/account/keys", data={"name": " "})
    assert reply.status == 422
    assert 'href="#key-name"' in reply.text
    assert '<input id="key-name"' in reply.text
    assert cast.alice.get("/api/keys").json["keys"] == []


def test_a_key_is_deleted_after_asking(cast: Cast) -> None:
    key = a_key(cast.alice, "old program")
    question = cast.alice.get(f"/account/keys/{key['id']}/delete")
    assert "old program" in question.text
    assert cast.anonymous.signed_in(key["wkey"]).get("/api/calendars").status == 200
    done = cast.alice.post(f"/account/keys/{key['id']}/delete")
    assert done.redirect == ("/account#keys", "deleted")
    assert cast.anonymous.signed_in(key["wkey"]).get("/api/calendars").status == 401


def test_nobody_sees_or_deletes_the_keys_of_others(cast: Cast) -> None:
    key = a_key(cast.alice, "canary")
    assert cast.carol.get(f"/account/keys/{key['id']}/delete").status == 404
    assert cast.carol.post(f"/account/keys/{key['id']}/delete").status == 404
    assert "canary" not in cast.carol.get("/account").text
    assert cast.anonymous.signed_in(key["wkey"]).get("/api/calendars").status == 200


def test_a_key_of_the_page_has_the_ticked_scopes_and_the_chosen_end(cast: Cast) -> None:
    form = [("name", "website"), ("scopes[]", "events:read"), ("scopes[]", "contacts"), ("days", "30")]
    page = cast.alice.post("/account/keys", data=form)
    assert page.status == 200
    [key] = cast.alice.get("/api/keys").json["keys"]
    assert (key["scopes"], key["expires_at"]) == (["contacts", "events:read"], timestamps.format_utc(NOON + 30 * 86_400))
    listed = cast.alice.get("/account").text
    assert "contacts, events:read" in listed
    assert "Expires" in listed


def test_a_device_of_the_page_can_be_limited_to_reading(cast: Cast) -> None:
    assert cast.alice.post("/account/devices", data={"name": "kiosk", "read_only": "yes"}).status == 200
    assert cast.alice.get("/api/keys").json["keys"][0]["read_only"]
    assert "Can look, but not change anything" in cast.alice.get("/account/devices").text


def test_a_key_of_the_page_opens_the_ticked_calendars(cast: Cast) -> None:
    assert "Which calendars?" not in cast.alice.get("/account").text
    ours, other = a_calendar(cast.alice, name="Jazz & Blues"), a_calendar(cast.alice, name="Chess")
    assert "Jazz &amp; Blues" in cast.alice.get("/account").text
    page = cast.alice.post("/account/keys", data={"name": "website", "calendar_ids[]": str(ours["id"]), "days": ""})
    program = cast.anonymous.signed_in(value_on_page(page.text, "wkey"))
    assert [each["id"] for each in program.get("/api/calendars").json["calendars"]] == [ours["id"]]
    assert "Only these calendars: Jazz &amp; Blues" in cast.alice.get("/account").text
    refused = cast.alice.post("/account/keys", data={"name": "website", "calendar_ids[]": str(a_calendar(cast.bob)["id"])})
    assert refused.status == 404
    assert cast.alice.delete(f"/api/calendars/{ours['id']}").status == 200
    assert "Only these calendars: a deleted calendar" in cast.alice.get("/account").text
    assert program.get("/api/calendars").json["calendars"] == []
    assert program.get(f"/api/calendars/{other['id']}").status == 404
