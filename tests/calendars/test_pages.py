"""Pages of calendars: list, calendar with events and feed, create, change, share and delete."""

import re

import pytest

from tests.cast import Cast, Person, a_calendar, an_event, shared

pytestmark = pytest.mark.on_one_database


def test_the_list_shows_own_and_shared_calendars(cast: Cast) -> None:
    jazz = a_calendar(cast.alice, name="Jazz & more", color="#b3261e", public=True)
    hidden = a_calendar(cast.carol, name="Not for alice")
    theirs = a_calendar(cast.bob, name="Of bob's")
    shared(cast.bob, theirs, cast.alice, "editor")
    page = cast.alice.get("/calendars")
    assert page.status == 200
    assert "Jazz &amp; more" in page.text
    assert 'fill="#b3261e"' in page.text
    assert "Of bob&#39;s" in page.text
    assert "by Bob" in page.text
    assert "can edit" in page.text
    assert f"/calendars/{jazz['id']}/edit" in page.text
    assert f"/calendars/{theirs['id']}/edit" not in page.text
    assert hidden["name"] not in page.text


def test_a_calendar_is_created_on_a_page(cast: Cast) -> None:
    form = cast.alice.get("/calendars/new")
    assert 'value="UTC"' in form.text
    assert 'type="color" value="#0b6b43"' in form.text
    typed = {"name": "Gigs", "description": "Loud", "color": "#aa0011", "time_zone": "Europe/Paris", "public": "true", "moderation": "all"}
    response = cast.alice.post("/calendars", data=typed)
    assert response.status == 303
    match = re.fullmatch(r"/calendars/(\d+)", response.headers["Location"])
    assert match
    saved = cast.alice.get(f"/api/calendars/{match[1]}").json
    assert {name: saved[name] for name in typed} == typed | {"public": True}
    assert response.redirect[1] == "created"


def test_a_failed_form_keeps_its_values_and_names_the_fields(cast: Cast) -> None:
    typed = {"name": "", "description": "Loud <b>music</b>", "color": "red", "time_zone": "Mars/Olympus", "public": "true"}
    page = cast.alice.post("/calendars", data=typed)
    assert page.status == 422
    assert "Loud &lt;b&gt;music&lt;/b&gt;</textarea>" in page.text
    assert 'value="Mars/Olympus"' in page.text
    assert re.search(r'id="public"[^>]* checked', page.text)
    for name in ("name", "color", "time_zone"):
        assert f'href="#{name}"' in page.text
        assert re.search(rf'id="{name}"[^>]*aria-invalid="true" aria-describedby="{name}-about"', page.text), name
    assert cast.alice.get("/api/calendars?count=true").json["total"] == 1


def test_a_calendar_page_shows_upcoming_events_and_the_feed(cast: Cast) -> None:
    jazz = a_calendar(cast.alice, description="Two lines\nof text", public=True)
    soon = an_event(cast.alice, calendar_id=jazz["id"], title="Soon", start_time="2026-06-10T20:00")
    an_event(cast.alice, calendar_id=jazz["id"], title="Long ago", start_time="2020-06-10T20:00")
    an_event(cast.alice, calendar_id=jazz["id"], title="Secret", start_time="2026-06-11T20:00", public=False)
    for reader, sees_secret in [(cast.anonymous, False), (cast.alice, True)]:
        page = reader.get(f"/calendars/{jazz['id']}")
        assert f'<a href="/events/{soon["id"]}" dir="auto">Soon</a>' in page.text
        assert "Two lines\nof text" in page.text
        assert "Long ago" not in page.text
        assert ("Secret" in page.text) is sees_secret
        assert f'value="http://testserver/api/calendars/{jazz["id"]}.ics"' in page.text
        assert f'href="webcal://testserver/api/calendars/{jazz["id"]}.ics"' in page.text
        assert f'href="/calendar?calendar_ids={jazz["id"]}"' in page.text
        assert (f"/calendars/{jazz['id']}/edit" in page.text) is sees_secret


def test_only_editors_see_the_feed_url_of_a_private_calendar(cast: Cast) -> None:
    family = a_calendar(cast.alice)
    shared(cast.alice, family, cast.bob, "editor")
    shared(cast.alice, family, cast.vera, "viewer")
    for reader, has_it in [(cast.alice, True), (cast.bob, True), (cast.vera, False)]:
        assert (".ics?key=" in reader.get(f"/calendars/{family['id']}").text) is has_it
    assert cast.carol.get(f"/calendars/{family['id']}").status == 404


def test_a_calendar_is_changed_on_a_page(cast: Cast) -> None:
    jazz = a_calendar(cast.alice, description="Old words", public=True)
    form = cast.alice.get(f"/calendars/{jazz['id']}/edit")
    assert 'value="Jazz"' in form.text
    assert "Old words</textarea>" in form.text
    assert re.search(r'id="public"[^>]* checked', form.text)
    typed = {"name": "Jazz and blues", "description": "", "color": "#2f6fde", "time_zone": "UTC", "public": "false", "moderation": "none"}
    saved = cast.alice.post(f"/calendars/{jazz['id']}/edit", data=typed)
    assert saved.status == 303
    assert saved.redirect == (f"/calendars/{jazz['id']}", "saved")
    calendar = cast.alice.get(f"/api/calendars/{jazz['id']}").json
    assert (calendar["name"], calendar["description"], calendar["public"], calendar["moderation"]) == (
        "Jazz and blues",
        None,
        False,
        "none",
    )
    broken = cast.alice.post(f"/calendars/{jazz['id']}/edit", data=typed | {"name": " ", "time_zone": "Nowhere"})
    assert broken.status == 422
    assert 'value="Nowhere"' in broken.text
    assert "#name" in broken.text


def test_sharing_and_unsharing_on_the_page(cast: Cast) -> None:
    jazz = a_calendar(cast.alice)
    path = f"/calendars/{jazz['id']}"
    done = cast.alice.post(f"{path}/share", data={"user_name": cast.bob.user_name, "role": "editor"})
    assert done.status == 303
    assert done.redirect == (f"{path}/edit#sharing", "shared.1")
    page = cast.alice.get(f"{path}/edit")
    assert cast.bob.user_name in page.text
    assert "can edit events" in page.text
    assert cast.bob.get(path).status == 200
    assert cast.alice.post(f"{path}/unshare", data={"user_name": cast.bob.user_name}).status == 303
    assert cast.bob.user_name not in cast.alice.get(f"{path}/edit").text
    assert cast.bob.get(path).status == 404


@pytest.mark.parametrize(
    ("wrong", "status", "message"),
    [("nobody-at-all", 404, "doesn’t belong to anyone on this site"), ("", 422, ""), ("myself", 409, "is your own. Enter someone else’s")],
)
def test_sharing_with_an_unknown_user_keeps_the_form_values(cast: Cast, wrong: str, status: int, message: str) -> None:
    jazz = a_calendar(cast.alice)
    name = cast.alice.user_name if wrong == "myself" else wrong
    page = cast.alice.post(f"/calendars/{jazz['id']}/share", data={"user_name": name, "role": "editor"})
    assert page.status == status
    assert f'<a href="#share-user_name">Username</a> {message}' in page.text
    assert f'id="share-user_name" name="user_name" type="text" value="{name}"' in page.text
    assert re.search(r'value="editor" selected', page.text)
    assert 'value="Jazz"' in page.text


def test_resetting_the_feed_asks_for_confirmation(cast: Cast) -> None:
    family = a_calendar(cast.alice)
    path = f"/calendars/{family['id']}"
    before = _feed(cast.alice, path)
    assert cast.alice.get(f"{path}/reset_feed").status == 200
    assert _feed(cast.alice, path) == before
    assert cast.alice.post(f"{path}/reset_feed").status == 303
    assert _feed(cast.alice, path) != before


def test_deleting_a_calendar_asks_for_confirmation(cast: Cast) -> None:
    jazz = a_calendar(cast.alice)
    an_event(cast.alice, calendar_id=jazz["id"])
    page = cast.alice.get(f"/calendars/{jazz['id']}/delete")
    assert "<p>It has 1 event. Events that are also on another calendar of their owner stay there." in page.text
    assert "comments. Its feed stops working." in page.text
    assert f'action="/calendars/{jazz["id"]}/delete"' in page.text
    assert cast.alice.get(f"/calendars/{jazz['id']}").status == 200
    gone = cast.alice.post(f"/calendars/{jazz['id']}/delete")
    assert gone.status == 303
    assert gone.redirect == ("/calendars", "deleted")
    assert cast.alice.get(f"/calendars/{jazz['id']}").status == 404


def test_the_deletion_of_a_calendar_is_undone_by_the_button_in_its_notice(cast: Cast) -> None:
    calendar = a_calendar(cast.alice, name="Jazz")
    event = an_event(cast.alice, calendar_id=calendar["id"])
    deleted = cast.alice.post(f"/calendars/{calendar['id']}/delete")
    seq = deleted.headers["Set-Cookie"].partition(";")[0].rpartition(".")[2]
    assert cast.alice.post(f"/changes/{seq}/undo", data={"next": "/calendars"}).status == 303
    assert cast.alice.get(f"/calendars/{calendar['id']}").status == 200
    assert cast.alice.get(f"/events/{event['id']}").status == 200


def test_the_page_says_why_the_primary_calendar_cannot_be_deleted(cast: Cast) -> None:
    path = f"/calendars/{cast.alice.primary_calendar_id}/delete"
    for page, status in [(cast.alice.get(path), 200), (cast.alice.post(path), 409)]:
        assert page.status == status
        assert "which can’t be deleted" in page.text
        assert '<form class="actions' not in page.text
    assert cast.alice.get(f"/calendars/{cast.alice.primary_calendar_id}").status == 200


def _feed(reader: Person, path: str) -> str:
    match = re.search(r'id="feed" readonly value="([^"]+)"', reader.get(path).text)
    assert match
    return match[1]


def test_the_primary_calendar_has_one_name_on_all_pages_that_list_calendars(cast: Cast) -> None:
    event = an_event(cast.bob, public=True)
    primary = cast.alice.get("/api/calendars").json["calendars"][0]
    assert primary["name"] == "Alice"
    expected = {
        f"/calendars/{primary['id']}/sources": "appear on <bdi>Personal</bdi>",
        f"/calendars/{primary['id']}/import": "Import into <bdi>Personal</bdi>",
        f"/events/{event['id']}": f'<option value="{primary["id"]}">Personal</option>',
        "/calendars": "<bdi>Personal</bdi></a></h2>",
        "/webhooks": f'<option value="{primary["id"]}">Personal</option>',
    }
    assert [path for path, text in expected.items() if text not in cast.alice.get(path).text] == []


def test_sharing_is_one_click_away_for_people_who_may_share(cast: Cast) -> None:
    band = a_calendar(cast.alice, name="Band", public=True)
    shared(cast.alice, band, cast.bob, "editor")
    path = f"/calendars/{band['id']}"
    link = f'href="{path}/edit#sharing"'
    pages = (path, "/calendar")
    assert [link in cast.alice.get(page).text for page in pages] == [True, True]
    assert f'{link} aria-label="Share: Band"' in cast.alice.get("/calendar").text
    assert [link in person.get(page).text for person in (cast.bob, cast.carol) for page in pages] == [False] * 4


def test_sharing_comes_before_the_settings_of_a_calendar(cast: Cast) -> None:
    page = cast.alice.get(f"/calendars/{a_calendar(cast.alice)['id']}/edit").text
    assert page.index('id="sharing"') < page.index('id="name"')
