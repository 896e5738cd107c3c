"""/admin/moderation: admins deal with reports and waiting comments, hide events and block senders."""

from uuid import uuid4

from tests.cast import Cast, a_comment, a_report, an_event
from tests.site.administrator import Admin


def test_an_admin_hides_a_reported_event_and_shows_it_again(cast: Cast) -> None:
    ada, event = Admin(cast.anonymous, "ada"), an_event(cast.alice, public=True, title="Pills & more")
    a_report(cast.anonymous, event_id=event["id"])
    offset = ada.get("/api/reports?count=true&limit=0").json["total"] - 1
    assert f'name="event" value="{event["id"]}"' in ada.get(f"/admin/moderation?offset={offset}").text
    again = ada.post("/admin/moderation/hide", data={"event": "the one with pills", "reason": "It sells <pills>"})
    assert (again.status, "It sells &lt;pills&gt;" in again.text) == (422, True)
    typed = {"event": f"https://example.org/events/{event['id']}?tab=1", "reason": "It sells <pills>"}
    assert ada.post("/admin/moderation/hide", data=typed).redirect == ("/admin/moderation?show=hidden", "event-hidden")
    assert cast.anonymous.get(f"/events/{event['id']}").status == 404
    page = ada.get("/admin/moderation?show=hidden").text
    assert "Pills &amp; more" in page
    hidden = next(each for each in ada.get("/api/hidden_events").json["hidden_events"] if each["event_id"] == event["id"])
    assert ada.post(f"/admin/moderation/hidden/{hidden['id']}/show").redirect == ("/admin/moderation?show=hidden", "event-shown")
    assert cast.anonymous.get(f"/events/{event['id']}").status == 200


def test_an_admin_blocks_a_sender_and_accepts_it_again(cast: Cast) -> None:
    ada, domain = Admin(cast.anonymous, "ada"), f"{uuid4().hex}.example"
    assert ada.post("/admin/moderation/block", data={"sender": "nobody"}).status == 422
    assert ada.post("/admin/moderation/block", data={"sender": domain, "note": "Pills"}).redirect == (
        "/admin/moderation?show=blocked",
        "sender-blocked",
    )
    assert domain in ada.get("/admin/moderation?show=blocked").text
    blocked = next(each for each in ada.get("/api/blocked_senders").json["blocked_senders"] if each["sender"] == domain)
    assert ada.post(f"/admin/moderation/blocked/{blocked['id']}/unblock").status == 303
    assert domain not in ada.get("/admin/moderation?show=blocked").text


def test_an_admin_approves_and_deletes_comments_that_wait_or_can_be_seen(cast: Cast) -> None:
    ada = Admin(cast.anonymous, "ada")
    events = [an_event(cast.alice, public=True), an_event(cast.alice)]
    sent = {"event_id": events[0]["id"], "email_address": "gus@example.org", "comment": f"Pills {uuid4().hex}"}
    waiting = cast.anonymous.post("/api/comments", json=sent).json
    private = a_comment(cast.alice, events[1])
    offset = ada.get("/api/comments?waiting=true&count=true&limit=0").json["total"] - 1
    page = ada.get(f"/admin/moderation?show=comments&offset={offset}").text
    assert sent["comment"] in page
    assert f'action="/comments/{waiting["id"]}/approve"' in page
    assert cast.alice.get("/api/comments?waiting=true").status == 403
    assert ada.post(f"/comments/{waiting['id']}/approve", data={"next": "/admin/moderation?show=comments"}).status == 303
    assert sent["comment"] in cast.anonymous.get(f"/events/{events[0]['id']}").text
    assert [ada.delete(f"/api/comments/{comment['id']}").status for comment in (waiting, private)] == [200, 404]


def test_an_admin_hides_an_event_on_its_page(cast: Cast) -> None:
    ada, event = Admin(cast.anonymous, "ada"), an_event(cast.alice, public=True)
    path, form = f"/events/{event['id']}", 'action="/admin/moderation/hide"'
    assert [form in reader.get(path).text for reader in (ada, cast.alice, cast.anonymous)] == [True, False, False]
    assert ada.post("/admin/moderation/hide", data={"event": str(event["id"]), "reason": "Spam"}).redirect[1] == "event-hidden"
    assert [reader.get(path).status for reader in (ada, cast.alice)] == [404, 200]
