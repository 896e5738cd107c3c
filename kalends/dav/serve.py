"""CalDAV and CardDAV: which function serves which method of which kind of resource, and how a request runs.

A request runs in one transaction, as an endpoint's does. Its errors are XML with the precondition that failed."""

from collections.abc import Callable, Iterable, Mapping
from xml.etree.ElementTree import Element

from kalends import policy
from kalends.core import errors
from kalends.core.values.xml_tree import InvalidXml
from kalends.dav import birthdays, collections, paths, propfind, proppatch, public, reports, sign_in, xml
from kalends.dav.books import collections as book_collections
from kalends.dav.books import propfind as books
from kalends.dav.books import reports as book_reports
from kalends.dav.books import transfer as book_transfer
from kalends.dav.books import write as book_write
from kalends.dav.calendars import transfer, write
from kalends.dav.call import Call, DavReply
from kalends.dav.paths import Kind
from kalends.dav.push import registration, web_push
from kalends.dav.scheduling import mailboxes
from kalends.dav.xml import DavError, error_body
from kalends.db import Retry
from kalends.http.context import Caller, Context
from kalends.http.endpoint import READ_METHODS
from kalends.http.reply import Reply, encode_reply
from kalends.http.request import Request
from kalends.http.router import Mount
from kalends.http.run_endpoint import ATTEMPTS, Services, run_after_commit

Action = Callable[[Call], DavReply]

FEATURES = "1, 3, access-control, calendar-access, calendar-auto-schedule, addressbook, extended-mkcol"
WITH_XML = frozenset({"PROPFIND", "PROPPATCH", "REPORT", "MKCALENDAR", "MKCOL"})

TABLE: dict[Kind, dict[str, Action]] = {
    "root": {"PROPFIND": propfind.propfind, "REPORT": reports.report_principals},
    "users": {"PROPFIND": propfind.propfind, "REPORT": reports.report_principals},
    "principal": {"PROPFIND": propfind.propfind, "REPORT": reports.report_principals},
    "home": {"PROPFIND": propfind.propfind},
    "calendar": {
        "PROPFIND": propfind.propfind_calendar,
        "PROPPATCH": proppatch.proppatch,
        "REPORT": reports.report,
        "GET": propfind.get_calendar,
        "POST": registration.register_for_calendar,
        "MKCALENDAR": collections.make_calendar,
        "MKCOL": collections.make_collection,
        "DELETE": collections.delete_calendar,
    },
    "resource": {
        "PROPFIND": propfind.propfind_resource,
        "GET": propfind.get_resource,
        "PUT": write.put_resource,
        "DELETE": write.delete_resource,
        "COPY": transfer.copy_resource,
        "MOVE": transfer.move_resource,
        "MKCALENDAR": collections.refuse_location,
        "MKCOL": collections.refuse_location,
    },
    "birthdays": {"PROPFIND": birthdays.propfind_calendar, "REPORT": birthdays.report, "GET": birthdays.get_calendar},
    "birthday": {"PROPFIND": birthdays.propfind_event, "GET": birthdays.get_event},
    "public": {"PROPFIND": public.propfind_calendar, "REPORT": public.report},
    "public-resource": {"PROPFIND": public.propfind_resource, "GET": public.get_resource},
    "inbox": {"PROPFIND": mailboxes.propfind_inbox, "REPORT": mailboxes.report_inbox},
    "message": {"GET": mailboxes.get_message, "DELETE": mailboxes.delete_message},
    "outbox": {"PROPFIND": mailboxes.propfind_outbox, "POST": mailboxes.post_outbox},
    "push": {"DELETE": registration.unregister},
    "books": {"PROPFIND": books.propfind_home},
    "book": {
        "PROPFIND": books.propfind_book,
        "PROPPATCH": book_collections.proppatch,
        "REPORT": book_reports.report,
        "POST": registration.register_for_book,
        "MKCOL": book_collections.make_book,
        "DELETE": book_collections.delete_book,
    },
    "card": {
        "PROPFIND": books.propfind_card,
        "GET": books.get_card,
        "PUT": book_write.put,
        "DELETE": book_write.delete,
        "COPY": book_transfer.copy_card,
        "MOVE": book_transfer.move_card,
    },
}
# What a device that only reads may do all the same: be told of changes.
FOR_READERS: frozenset[Action] = frozenset({registration.register_for_calendar, registration.register_for_book, registration.unregister})
# These open their transactions themselves, since they have work to do before they write.
WITHOUT_TRANSACTION: frozenset[Action] = frozenset({book_write.put, write.put_resource, collections.delete_calendar, mailboxes.post_outbox})


def mounts(services: Services) -> Mapping[str, Mount]:
    """The paths that CalDAV serves. Clients that are given a bare host ask `/` for their principal."""
    route = Dav(services).route
    return dict.fromkeys((paths.ROOT, *paths.WELL_KNOWN, paths.BARE), route)


class Dav:
    """Serves all paths below /dav."""

    def __init__(self, services: Services):
        self._services = services

    def route(self, request: Request) -> None:
        target = paths.parse(request.path)
        request.template = f"dav.{target.kind}"
        request.run = self._run
        request.variables = {"target": target}

    def _run(self, request: Request) -> Reply:
        try:
            reply = self._respond(request)
        except DavError as error:
            reply = DavReply(error.status, error_body(error.detail, error.condition, error.inner), headers=error.headers)
        except errors.Problem as problem:
            if problem.status >= 500:
                raise
            reply = DavReply(
                problem.status, error_body(problem.detail or problem.title, _condition(problem, request)), headers=problem.headers
            )
        features = f"{FEATURES}, webdav-push" if web_push.is_on(self._services.settings) else FEATURES
        headers = {"DAV": features, **reply.headers}
        return Reply(reply.status, reply.content_type if reply.body else "", reply.body, headers)

    def _respond(self, request: Request) -> DavReply:
        if request.refusal:
            raise request.refusal
        kind = request.variables["target"].kind
        if kind == "well-known":
            return DavReply(301, headers={"Location": f"{paths.ROOT}/"})
        methods = TABLE.get(kind, {})
        if request.method == "OPTIONS":
            page = ("GET",) if request.path == paths.BARE else ()
            return DavReply(200, headers={"Allow": _allow([*methods, *page]), "Content-Length": "0"})
        is_public = kind in paths.PUBLIC
        if "authorization" not in request.headers and not is_public:
            raise sign_in.challenge(self._services.settings.url, "Sign in with your user name and an app password.")
        action = methods.get("GET" if request.method == "HEAD" else request.method)
        if is_public and action is None:
            raise _not_allowed(kind)
        return self._act(request, action)

    def _act(self, request: Request, action: Action | None) -> DavReply:
        root = _parse_body(request) if action else None
        needs_user = request.variables["target"].kind not in paths.PUBLIC
        for _ in range(ATTEMPTS):
            ctx = self._context(request)
            has_transaction = action not in WITHOUT_TRANSACTION
            try:
                with ctx.write() if has_transaction and request.method not in READ_METHODS else ctx.read():
                    if needs_user:
                        ctx.actor = request.actor = sign_in.authenticate(self._services, ctx, request.headers["authorization"])
                    if ctx.actor:
                        method = "GET" if action in FOR_READERS else request.method
                        kind = request.variables["target"].kind
                        policy.require_device_scope(
                            ctx.actor, method, of_contacts=kind in paths.OF_CONTACTS, of_scheduling=kind in paths.SCHEDULING
                        )
                    if has_transaction and (ctx.actor or not needs_user):
                        reply = _call(ctx, request, root, action)
                if ctx.actor and not has_transaction:
                    reply = _call(ctx, request, root, action)
            except Retry:
                continue
            if ctx.actor is None and needs_user:
                raise sign_in.count_failure(self._context(request))
            run_after_commit(ctx)
            return self._compress(ctx, request, reply)
        raise errors.Unavailable("Too many people changed this at once. Try again.")

    def _context(self, request: Request) -> Context:
        origins = self._services.origins
        caller = Caller(origins.address(request), False, request.path, request.query, request.headers, request.id)
        ctx = Context(self._services.db, self._services.settings, self._services.clock(), caller)
        ctx.via = "dav"
        return ctx

    def _compress(self, ctx: Context, request: Request, reply: DavReply) -> DavReply:
        """Compress lists. A file has a strong ETag, which stands for its very bytes."""
        if request.method not in ("PROPFIND", "REPORT"):
            return reply
        encoded = Reply(reply.status, reply.content_type, reply.body, dict(reply.headers))
        encode_reply(ctx.caller.headers, encoded, is_unchanged=ctx.unchanged, is_write=False, has_cookie=False)
        return DavReply(encoded.status, encoded.body, encoded.content_type, encoded.headers)


def _call(ctx: Context, request: Request, root: Element | None, action: Action | None) -> DavReply:
    target = request.variables["target"]
    if target.kind == "unknown":
        raise DavError(404, "There is nothing at this path.")
    if action is None:
        raise _not_allowed(target.kind)
    return action(Call(ctx, target, request.headers, request.body, root))


def _not_allowed(kind: Kind) -> DavError:
    return DavError(405, "This path does not have that method.", headers={"Allow": _allow(TABLE[kind])})


def _parse_body(request: Request) -> Element | None:
    if request.method not in WITH_XML or not request.body.strip():
        return None
    try:
        return xml.parse(request.body)
    except InvalidXml as error:
        raise DavError(400, str(error)) from None


def _allow(methods: Iterable[str]) -> str:
    listed = {*methods, "OPTIONS"}
    return ", ".join(sorted(listed | {"HEAD"} if "GET" in listed else listed))


def _condition(problem: errors.Problem, request: Request) -> str:
    if isinstance(problem, errors.TooLarge) and request.method == "PUT":
        space = xml.CARDDAV if request.variables["target"].kind == "card" else xml.CALDAV
        return f"{{{space}}}max-resource-size"
    return "{DAV:}need-privileges" if isinstance(problem, errors.Forbidden) else ""
