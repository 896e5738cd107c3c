"""The visits of all pages by their readers."""

from functools import cache
from typing import NamedTuple

import pytest
from playwright.sync_api import Page

from kalends.app.application import ENDPOINTS
from kalends.features.deliveries.rules.recipient_links import notices_url
from kalends.http.endpoint import Endpoint
from tests.cast import Person
from tests.client import Reply
from tests.web.scene import Scene
from tests.web.windows import WIDE, Windows, go


class Visit(NamedTuple):
    """A visit of a page by one of the cast."""

    reader: str
    path: str

    def __str__(self) -> str:
        return f"{self.reader} {self.path}"


# HTML endpoints that show no page: static files, pictures, and URLs that lead to another one.
FILES = {
    *("GET /static/{name}", "GET /accent/{color_name}", "GET /style/{digest}", "GET /pictures/{picture_name}"),
    "GET /events/{event_id}/share_picture.png",
}
FILES.add("GET /account/devices/{profile_name}")
REDIRECTS = {"GET /api", "GET /openapi.json", "GET /my-events/{event_id}"}
REDIRECTS |= {"GET /sign-in/oidc/{provider_name}", "GET /sign-in/oidc/{provider_name}/callback"}


def declared(method: str) -> list[Endpoint]:
    """The endpoints that show pages."""
    return [endpoint for endpoint in ENDPOINTS if endpoint.format == "html" and endpoint.method == method]


def _own_pages() -> dict[str, list[Visit]]:
    """A visit of each page whose path needs no record: by the admin, who sees those of administration, else by alice."""
    names = [f"GET {endpoint.path}" for endpoint in declared("GET") if not endpoint.variables]
    return {name: [Visit("ada" if name.startswith("GET /admin") else "alice", name[4:])] for name in names if name not in FILES | REDIRECTS}


# The visits of each endpoint: of a page of one's own, one by the signed-in user; of another, those of its row, without which the tests
# fail. Names in braces are records of the scene.
PAGES: dict[str, list[Visit]] = _own_pages() | {
    "GET /": [Visit("guest", "/"), Visit("alice", "/"), Visit("guest", "/?text=coltrane"), Visit("guest", "/?text=nothing-of-the-kind")],
    "GET /search": [
        Visit("guest", "/search"),
        *(Visit(name, "/search?text=coltrane") for name in ("guest", "alice")),
        Visit("alice", "/search?text=dentist"),
        Visit("guest", "/search?text=nothing-of-the-kind"),
    ],
    "GET /notifications": [Visit(name, "/notifications") for name in ("alice", "vera", "ada")],
    "GET /me": [Visit("alice", "/me"), Visit("ada", "/me")],
    "GET /organisers": [Visit("guest", "/organisers")],
    "GET /organisers/{user_id}": [Visit("guest", "/organisers/{user}")],
    "GET /calendar": [
        *(Visit(name, "/calendar") for name in ("guest", "alice", "vera")),
        Visit("alice", "/calendar?view=week&date={day}"),
        Visit("alice", "/calendar?view=day&date={day}"),
        Visit("alice", "/calendar?view=agenda"),
        Visit("alice", "/calendar?view=agenda&date=2001-01-01"),
        Visit("guest", "/calendar?view=week&calendar_ids={calendar}&time_zone=Asia/Tokyo"),
    ],
    "GET /embed/calendars/{calendar_id}": [
        Visit("guest", "/embed/calendars/{calendar}"),
        Visit("guest", "/embed/calendars/{calendar}?view=agenda"),
    ],
    "GET /embed/events/{event_id}": [Visit("guest", "/embed/events/{event}")],
    "GET /calendars": [Visit("alice", "/calendars"), Visit("bob", "/calendars")],
    "GET /calendars/{calendar_id}": [
        *(Visit(name, "/calendars/{calendar}") for name in ("guest", "alice", "vera")),
        Visit("alice", "/calendars/{private_calendar}"),
    ],
    "GET /calendars/{calendar_id}/edit": [
        Visit("alice", "/calendars/{calendar}/edit"),
        Visit("alice", "/calendars/{private_calendar}/edit"),
    ],
    "GET /calendars/{calendar_id}/import": [Visit("alice", "/calendars/{calendar}/import")],
    "GET /calendars/{calendar_id}/delete": [Visit("alice", "/calendars/{calendar}/delete")],
    "GET /calendars/{calendar_id}/leave": [Visit("bob", "/calendars/{calendar}/leave"), Visit("vera", "/calendars/{calendar}/leave")],
    "GET /calendars/{calendar_id}/unshare": [Visit("alice", "/calendars/{calendar}/unshare?user_name={bob_name}")],
    "GET /calendars/{calendar_id}/reset_feed": [Visit("alice", "/calendars/{private_calendar}/reset_feed")],
    "GET /events/{event_id}": [
        *(Visit(name, "/events/{event}") for name in ("guest", "alice", "vera")),
        Visit("alice", "/events/{occurrence}"),
    ],
    "GET /events/{event_id}/preview": [Visit("alice", "/events/{event}/preview")],
    "GET /events/{event_id}/duplicate": [Visit("alice", "/events/{event}/duplicate")],
    "GET /events/new": [Visit("alice", "/events/new"), Visit("alice", "/events/new?start_time={day}T18:00")],
    "GET /events/{event_id}/edit": [Visit("alice", "/events/{event}/edit"), Visit("bob", "/events/{occurrence}/edit")],
    "GET /events/{event_id}/repeat": [Visit("alice", "/events/{occurrence}/repeat")],
    "GET /events/{event_id}/history": [Visit("alice", "/events/{event}/history")],
    "GET /events/{event_id}/announce": [Visit("alice", "/events/{event}/announce")],
    "GET /events/{event_id}/cancel": [Visit("alice", "/events/{event}/cancel"), Visit("alice", "/events/{occurrence}/cancel")],
    "GET /events/{event_id}/delete": [Visit("alice", "/events/{event}/delete"), Visit("alice", "/events/{occurrence}/delete")],
    "GET /contacts": [
        *(Visit(name, "/contacts") for name in ("alice", "vera")),
        *(Visit("alice", f"/contacts?{query}") for query in ("tags=friends", "text=nobody-of-the-kind", "event_id={event}", "limit=1")),
    ],
    "GET /contacts/{contact_id}/edit": [Visit("alice", "/contacts/{contact}/edit")],
    "GET /contacts/{contact_id}/delete": [Visit("alice", "/contacts/{contact}/delete")],
    "GET /contacts/delete_all": [Visit("alice", "/contacts/delete_all"), Visit("vera", "/contacts/delete_all")],
    "GET /my-events": [
        *(Visit(name, "/my-events") for name in ("vera", "alice")),
        *(Visit(name, f"/my-events?show={show}") for name in ("vera", "alice") for show in ("invited", "hosting", "past")),
    ],
    "GET /responses": [Visit("alice", "/responses"), Visit("vera", "/responses"), Visit("alice", "/responses?limit=1&offset=1")],
    "GET /responses/events": [Visit("alice", "/responses/events"), Visit("vera", "/responses/events")],
    "GET /events/{event_id}/responses": [Visit("alice", "/events/{event}/responses"), Visit("alice", "/events/{occurrence}/responses")],
    "GET /events/{event_id}/responses/new": [Visit("alice", "/events/{event}/responses/new")],
    "GET /responses/{response_id}/edit": [Visit("alice", "/responses/{response}/edit")],
    "GET /responses/{response_id}/delete": [Visit("alice", "/responses/{response}/delete")],
    "GET /responses/{response_id}/questions": [Visit("alice", "/responses/{answered}/questions")],
    "GET /events/{event_id}/invitations": [
        Visit("alice", "/events/{event}/invitations"),
        Visit("alice", "/events/{occurrence}/invitations?tags=friends"),
    ],
    "GET /events/{event_id}/messages": [Visit("alice", "/events/{event}/messages")],
    "GET /i/{invitation_token}": [Visit("guest", "/i/{invitation_token}?response=YES")],
    "GET /i/{invitation_token}/stop": [Visit("guest", "/i/{invitation_token}/stop")],
    "GET /events/{event_id}/questions": [Visit("alice", "/events/{occurrence}/questions")],
    "GET /events/{event_id}/questions/{question_id}/edit": [Visit("alice", "/events/{occurrence}/questions/{question}/edit")],
    "GET /events/{event_id}/questions/{question_id}/delete": [Visit("alice", "/events/{occurrence}/questions/{question}/delete")],
    "GET /calendars/offers": [Visit("alice", "/calendars/offers?of={offered}")],
    "GET /calendars/{calendar_id}/ownership": [Visit("alice", "/calendars/{private_calendar}/ownership")],
    "GET /events/{event_id}/cohosts": [Visit("alice", "/events/{cohosted}/cohosts")],
    "GET /events/{event_id}/reminders": [Visit("alice", "/events/{reminded}/reminders")],
    "GET /calendars/{calendar_id}/reminders": [Visit("alice", "/calendars/{private_calendar}/reminders")],
    "GET /events/{event_id}/reminders/{reminder_id}/edit": [Visit("alice", "/events/{reminded}/reminders/{reminder}/edit")],
    "GET /calendars/{calendar_id}/reminders/{reminder_id}/edit": [
        Visit("alice", "/calendars/{private_calendar}/reminders/{calendar_reminder}/edit")
    ],
    "GET /calendars/{calendar_id}/questions": [Visit("alice", "/calendars/{private_calendar}/questions")],
    "GET /calendars/{calendar_id}/questions/{question_id}/edit": [
        Visit("alice", "/calendars/{private_calendar}/questions/{calendar_question}/edit")
    ],
    "GET /calendars/{calendar_id}/questions/{question_id}/delete": [
        Visit("alice", "/calendars/{private_calendar}/questions/{calendar_question}/delete")
    ],
    "GET /comments/{comment_id}/delete": [Visit("alice", "/comments/{comment}/delete?next=/responses")],
    "GET /reports": [Visit("ada", "/reports?closed=true")],
    "GET /admin/moderation": [Visit("ada", f"/admin/moderation?show={part}") for part in ("reports", "comments", "hidden", "blocked")],
    "GET /reports/new": [Visit("guest", "/reports/new?event_id={event}"), Visit("alice", "/reports/new?comment_id={comment}")],
    "GET /subscribers": [Visit("alice", "/subscribers"), Visit("vera", "/subscribers")],
    "GET /subscribers/{subscriber_id}/delete": [Visit("alice", "/subscribers/{subscriber}/delete")],
    "GET /deliveries": [
        *(Visit(name, "/deliveries") for name in ("alice", "vera")),
        *(Visit("alice", f"/deliveries?{query}") for query in ("event_id={event}", "state=failed")),
    ],
    "GET /sign-in": [Visit("guest", "/sign-in")],
    "GET /sign-up": [Visit("guest", "/sign-up")],
    "GET /sign-up/{sign_up_token}": [Visit("guest", "/sign-up/{sign_up_token}")],
    "GET /reset": [Visit("guest", "/reset")],
    "GET /reset/{reset_token}": [Visit("guest", "/reset/{reset_token}")],
    "GET /verify/{verify_token}": [Visit("guest", "/verify/{verify_token}")],
    "GET /welcome/site": [Visit("ada", "/welcome/site")],
    "GET /welcome/people": [Visit("ada", "/welcome/people")],
    "GET /welcome/mail": [Visit("ada", "/welcome/mail")],
    "GET /admin/suppressions": [Visit("ada", "/admin/suppressions"), Visit("ada", "/admin/suppressions?address=nobody@example.org")],
    "GET /admin/people": [Visit("ada", f"/admin/people?text={text}") for text in ("walter", "ada", "nobody-of-the-kind")],
    "GET /admin/people/{person_id}/delete": [Visit("ada", "/admin/people/{user}/delete")],
    "GET /admin/people/{person_id}/role": [Visit("ada", "/admin/people/{user}/role")],
    "GET /admin/audit": [Visit("ada", "/admin/audit"), Visit("ada", "/admin/audit?offset=1000")],
    "GET /sign-in/emergency": [Visit("guest", "/sign-in/emergency")],
    "GET /account/keys/{key_id}/delete": [Visit("alice", "/account/keys/{key}/delete")],
    "GET /deliveries/stop/{stop_token}": [Visit("guest", "/deliveries/stop/{stop_token}")],
    "GET /account/notices/{notices_token}": [Visit("guest", "/account/notices/{notices_token}")],
    "GET /calendars/{calendar_id}/sources": [
        Visit("alice", "/calendars/{calendar}/sources"),
        Visit("alice", "/calendars/{private_calendar}/sources"),
    ],
    "GET /sources/{source_id}": [Visit("alice", "/sources/{source}")],
    "GET /sources/{source_id}/delete": [Visit("alice", "/sources/{source}/delete")],
    "GET /admin/sources": [Visit("ada", "/admin/sources"), Visit("ada", "/admin/sources?offset=1000")],
    "GET /webhooks": [Visit("alice", "/webhooks"), Visit("vera", "/webhooks")],
    "GET /webhooks/{webhook_id}": [Visit("alice", "/webhooks/{webhook}")],
    "GET /webhooks/{webhook_id}/delete": [Visit("alice", "/webhooks/{webhook}/delete")],
    "GET /docs": [Visit("guest", "/docs")],
    "GET /docs/errors": [Visit("guest", "/docs/errors")],
    "GET /docs/guide": [Visit("guest", "/docs/guide")],
    "GET /docs/guide/{page_name}": [Visit("guest", "/docs/guide/api")],
    "GET /confirm/{confirm_token}": [Visit("guest", "/confirm/{confirm_token}")],
    "GET /c/{confirm_token}": [Visit("guest", "/c/{confirm_token}")],
    "GET /e/{event_link}": [Visit("guest", "/e/{event_link}")],
    "GET /r/{response_token}": [Visit("guest", "/r/{response_token}"), Visit("guest", "/r/{response_token}?response=NO")],
    "GET /r/{response_token}/reminders": [Visit("guest", "/r/{response_token}/reminders")],
    "GET /r/{response_token}/questions": [Visit("guest", "/r/{response_token}/questions")],
    "GET /r/confirm/{proposal_token}": [Visit("guest", "/r/confirm/{proposal_token}")],
    "GET /unsubscribe/{token}": [Visit("guest", "/unsubscribe/{token}")],
    "GET /u/{token}": [Visit("guest", "/u/{token}")],
}

VISITS = [visit for visits in PAGES.values() for visit in visits]
FIRST_VISITS = [visits[0] for visits in PAGES.values()]
# Together, they have every class that a page has: the style sheet gives the same colours and sizes to a class on all pages.
VISITS_IN_EACH_LOOK = {
    *(Visit("guest", path) for path in ("/", "/events/{event}", "/docs", "/docs/guide", "/r/{response_token}?response=NO")),
    *(Visit("alice", f"/calendar?view={view}&date={{day}}") for view in ("week", "day")),
    *(Visit("alice", path) for path in ("/events/new", "/events/{event}/edit", "/events/{occurrence}/responses", "/calendars/{calendar}")),
    *(Visit("alice", path) for path in ("/contacts", "/contacts/imported", "/responses", "/account", "/deliveries", "/notifications")),
    *(Visit("alice", f"/events/{{event}}{page}") for page in ("", "/preview", "/responses", "/invitations")),
    *(Visit("alice", path) for path in ("/events/{occurrence}/delete", "/my-events?show=hosting", "/sources/{source}")),
    *(Visit("ada", path) for path in ("/admin/health", "/me", "/welcome/site", "/welcome/people", "/welcome/mail")),
    *(Visit("alice", path) for path in ("/search?text=dentist", "/welcome")),
    Visit("guest", "/embed/calendars/{calendar}?view=agenda"),
    # The public events of other tests may fill its days.
    Visit("guest", "/calendar"),
}
# Parameters of tests that draw pages: these have every class that a page has; all pages in `make soak`.
IN_EACH_LOOK = [visit if visit in VISITS_IN_EACH_LOOK else pytest.param(visit, marks=pytest.mark.soak) for visit in VISITS]
# Parameters of tests that visit each page once; as others see it, and with other things on it, in `make soak`.
IN_SHORT = [
    visit if visit in FIRST_VISITS or visit in VISITS_IN_EACH_LOOK else pytest.param(visit, marks=pytest.mark.soak) for visit in VISITS
]


def url_of(scene: Scene, path: str) -> str:
    values = {
        "token": scene.token,
        "confirm_token": scene.confirm_token,
        "reset_token": scene.reset_token,
        "verify_token": scene.verify_token,
        "sign_up_token": scene.sign_up_token,
        "response_token": scene.response_token,
        "event_link": scene.event_link,
        "proposal_token": scene.proposal_token,
        "invitation_token": scene.invitation_token,
        "user": scene.alice.id,
        "event": scene.event["id"],
        "occurrence": scene.occurrence["id"],
        "calendar": scene.calendar["id"],
        "bob_name": scene.bob.user_name,
        "private_calendar": scene.private_calendar["id"],
        "contact": scene.contact["id"],
        "comment": scene.comment["id"],
        "response": scene.response["id"],
        "question": scene.question["id"],
        "offered": scene.offered["id"],
        "cohosted": scene.cohosted["id"],
        "reminded": scene.reminder["event_id"],
        "reminder": scene.reminder["id"],
        "calendar_reminder": scene.calendar_reminder["id"],
        "calendar_question": scene.calendar_question["id"],
        "answered": scene.answered["id"],
        "subscriber": scene.subscriber["id"],
        "key": scene.key["id"],
        "source": scene.source["id"],
        "webhook": scene.webhook["id"],
        "notices_token": notices_url(scene.settings, scene.alice.id).rsplit("/", 1)[1],
        "stop_token": scene.stop_token,
        "day": scene.day(1),
    }
    return path.format_map(values)


def reader(scene: Scene, name: str) -> Person | None:
    return None if name == "guest" else getattr(scene, name)


@cache
def fetched(scene: Scene, visit: Visit) -> Reply:
    """The page as its reader gets it, once for all tests that only read it."""
    return fetch(scene, visit)


def fetch(scene: Scene, visit: Visit, headers: dict[str, str] | None = None) -> Reply:
    who, headers = reader(scene, visit.reader) or scene.guest, {"Accept": "text/html"} | (headers or {})
    reply = who.get(url_of(scene, visit.path), headers=headers)
    if reply.status == 303:
        # The form of a new event gets its token in a redirect.
        reply = who.get(reply.headers["Location"], headers=headers)
    assert reply.status == 200, (str(visit), reply)
    return reply


def visit(looks: Windows, scene: Scene, visit: Visit, width: int = WIDE) -> Page:
    """Open the page as its reader does."""
    page = looks.cached(reader(scene, visit.reader), width=width)
    reply = go(page, url_of(scene, visit.path))
    assert reply.status == 200, (str(visit), reply.status)
    assert "/sign-in?next=" not in page.url, str(visit)
    return page
