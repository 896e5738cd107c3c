"""The rules of the code base: the direction of imports, the place of each thing, and its documentation."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import get_args

from kalends import errors
from kalends.app import ENDPOINTS, FEATURES
from kalends.http.endpoint import Endpoint
from kalends.reference.errors import meaning as meaning_of_error
from kalends.reference.errors import problems
from kalends.settings import Settings, meaning, variable

ROOT = Path(__file__).parent.parent
MODULES = sorted(path for path in (ROOT / "kalends").rglob("*.py") if path.read_text().strip())

# From left to right. A module may import from its own layer and from the layers left of it.
LAYERS = ["values", "settings", "db", "records", "context", "http", "model", "policy", "store", "api", "pages", "worker", "app", "cli"]
# Folders that are of one layer as a whole.
FOLDERS = {
    "values": "values",
    "net": "values",
    "i18n": "values",
    "ical": "values",
    "db": "db",
    "records": "records",
    "http": "http",
    "policy": "policy",
    "commands": "cli",
}
# From the bottom up. A folder may import from those before it.
FOLDER_ORDER = [
    *("i18n", "values", "ical", "net", "records", "db", "backup", "idempotency", "policy", "http"),
    *("audit", "blocks", "blocked_senders", "journal", "site", "web", "pictures", "contacts", "deliveries", "questions", "health"),
    "subscribers",
    *(
        "responses",
        "comments",
        "events",
        "calendars",
        "reports",
        "hidden_events",
        "home",
        "organisers",
        "users",
        "sessions",
        "keys",
        "outbound",
    ),
    *("changes", "trash", "webhooks", "inbound", "calendar_view", "discovery", "demo", "reference", "account", "admin", "dav", "commands"),
]
# Imports against this order, by design.
UPWARD = {
    ("responses", "events"): "the page of a personal link shows the event; a standing response is one to each date of a series",
    ("responses", "comments"): "who confirms or erases a response does so with the comments of the same address",
    ("responses", "users"): "organisers are told of responses as their account says",
    ("events", "outbound"): "organisers see a mail before they send it",
    ("events", "hidden_events"): "editors read on the page of an event why it is hidden",
    ("events", "changes"): "the URL of an event's history names the event",
    ("events", "dav"): "a withdrawn invitation takes the file off the guest's calendar",
    ("users", "sessions"): "a new password ends sessions; anyone who changes an account confirms the old password",
    ("users", "keys"): "a new password can delete the keys",
    ("users", "webhooks"): "webhooks stop with the keys",
    ("sessions", "keys"): "a key opens a session",
    ("keys", "webhooks"): "webhooks stop with the key that made them",
}
# The layers of a feature's files, by their names.
FEATURE = {"model": "model", "store": "store", "present": "store", "api": "api", "pages": "pages"}
# URL segments that are short for another, to fit into an SMS.
SHORT_SEGMENTS = {"e": "events", "r": "responses", "i": "invitations", "u": "unsubscribe", "c": "confirm", "openapi.json": "reference"}
# Every other module; one that is not listed fails.
MODULE_LAYERS = {
    "values": {"", "errors", "private_file", "transports", "pictures.reencode", "pictures.lettering", "pictures.draw_share_picture"},
    "settings": {"settings", "log", "tokens", "tracer", "tracing"},
    "context": {"context", "idempotency.key", "reply"},
    "model": {
        "users.passwords",
        "journal.cursor",
        "contacts.entry",
        "demo.story",
        "events.cursor",
        "inbound.message",
        "inbound.mime",
        "events.uid",
        "events.input",
        "events.query",
        "events.quick_line",
        "responses.waiting_list",
        "events.series.rule",
        "events.series.ordinals",
        "events.series.sentence",
    },
    "store": {
        *("quotas", "backup.file", "backup.restore", "backup.take", "dav.books.book_store"),
        *("dav.calendar_store", "dav.message_store", "dav.write_store"),
        *(
            f"calendar_view.{name}"
            for name in (
                "agenda",
                "days",
                "entries",
                "hidden_calendars",
                "links",
                "month",
                "month_html",
                "rail",
                "rows_html",
                "search",
                "week",
            )
        ),
        *(
            "calendars.search",
            "calendars.former_editor",
            "calendars.sharing",
            "changes.as_of",
            "changes.batch",
            "changes.current",
            "changes.history",
            "changes.record",
            "changes.references",
            "changes.restored_invitations",
            "changes.restored_rows",
            "changes.restored_seats",
            "changes.running_undos",
            "changes.undo_rights",
            "changes.undo_steps",
            "changes.restored_uids",
            "changes.tables",
            "changes.undo",
        ),
        *(f"contacts.{name}" for name in ("address_book", "bulk_import", "csv_table", "vcard")),
        *(f"contacts.providers.{name}" for name in ("carddav", "errors", "fetch", "graph")),
        *(
            f"deliveries.{name}"
            for name in (
                "claims",
                "event_time",
                "guest_notice",
                "languages",
                "reactions",
                "refusals",
                "sms_countries",
                "limits",
                "place_notice",
                "recipient_links",
                "response_mail",
                "suppressions",
            )
        ),
        *(f"outbound.{name}" for name in ("mail", "outbox_files", "outcome", "segments", "sms", "smtp_session")),
        *(
            "events.by_uid",
            "events.change_notices",
            "events.create_batch",
            "events.conditions",
            "events.counting",
            "events.create",
            "events.deleted_events",
            "events.encoded",
            "events.feed",
            "events.feed_cache",
            "events.guests",
            "events.ical",
            "events.listing",
            "events.response_settings",
            "events.selection",
            "events.telling",
            "events.upsert",
        ),
        *(
            "events.form_values",
            "events.home_form",
            "events.location",
            "events.picture_form",
            "events.repeat_form",
            "events.room",
            "events.search",
            "events.span",
            "events.status",
            "events.visibility",
            "events.structured_data",
        ),
        *(
            f"dav.{name}"
            for name in (
                *("calendar_object", "call", "collections", "errors", "expand", "files", "filters", "listing", "paths", "propfind"),
                *(
                    "file_store",
                    "free_busy",
                    "future_dates",
                    "guest_copy",
                    "guests",
                    "mailboxes",
                    "overlap",
                    "principals",
                    "privacy",
                    "within_days",
                ),
                *(
                    "properties",
                    "proppatch",
                    "public",
                    "query",
                    "removal",
                    "reports",
                    "resources",
                    "sign_in",
                    "sync",
                    "text",
                    "transfer",
                    "write",
                ),
                "xml",
                *(
                    f"books.{name}"
                    for name in (
                        *("cards", "collections", "filters", "propfind", "reports", "sync", "text", "transfer"),
                        *("vcard_merge", "vcard_version", "write"),
                    )
                ),
            )
        ),
        *("discovery.sitemap", "events.add_links", "events.days", "events.follow_links", "events.upcoming", "home.facets", "home.search"),
        *(f"inbound.{name}" for name in ("handle", "imap", "notes", "poller")),
        *(
            f"events.invitations.{name}"
            for name in (
                "addresses",
                "calendar_part",
                "cancellations",
                "decision",
                "details",
                "erase",
                "guest_calendars",
                "invite",
                "reply",
            )
        ),
        "events.messages.send",
        *(f"pictures.{name}" for name in ("add", "child_process", "convert", "share_picture")),
        *(
            f"events.imports.{name}"
            for name in (
                "apply",
                "dates",
                "entries",
                "existing",
                "file",
                "following",
                "incoming",
                "plan",
                "recurrence",
                "within_day",
                "zones",
            )
        ),
        *(f"events.series.{name}" for name in ("change", "copies", "occurrences", "request", "scope", "shift")),
        *(f"events.reminders.{name}" for name in ("alarms", "due", "queue", "recipients", "remind", "rules")),
        *(f"questions.{name}" for name in ("answer_rules", "answers", "editor_form", "response_answers", "rules")),
        *("reference.change_schema", "reference.errors", "reference.enumerations", "reference.glossary", "reference.guide"),
        *(
            "responses.admission",
            "responses.author",
            "responses.erase",
            "responses.guest_cookie",
            "responses.guest_list",
            "responses.mask",
            "responses.news",
            "responses.offer_time",
            "responses.places",
            "responses.proposals",
            "responses.reminder_choice",
            "responses.reset_link",
            "responses.respond",
            "responses.seats",
            "responses.series",
        ),
        *("blocked_senders.screening", "reports.subject"),
        *("sessions.cookies", "sessions.credentials", "sessions.login_attempts"),
        "subscribers.opt_in",
        *("webhooks.queue", "webhooks.signature"),
        *(
            "users.approval",
            "users.deletion",
            "users.erasure",
            "users.first_admin",
            "users.invitations",
            "users.registration",
            "users.reset_link",
            "users.reset_requests",
            "users.roles",
            "users.signed_link",
            "users.suspension",
            "users.verify_link",
            "users.weak_passwords",
        ),
        *(
            "web.accent",
            "web.autolink",
            "web.code_generator",
            "web.markdown",
            "web.navigation",
            "web.language_urls",
            "web.cover",
            "web.environment",
            "web.escaping",
            "web.form_token",
            "web.forms",
            "web.guest_form",
            "web.notices",
            "web.page",
            "web.labels",
            "site.reader_locale",
            "web.reader_zone",
            "web.times",
        ),
    },
    "api": {"changes.stream", "web.redirects", "web.render", "reference.schema_text"},
    "pages": {
        "web.failures",
        "questions.answer_form",
        "questions.editor",
        "events.reminders.editor",
        *(
            f"outbound.{name}_message"
            for name in (
                "account",
                "administration",
                "change",
                "guest",
                "invitation",
                "moderation",
                "news",
                "place",
                "reminder",
                "response",
            )
        ),
        "outbound.message",
    },
    "worker": {"worker", "outbound.content", "outbound.sender", "webhooks.sender", "doctor", "shared_secret", "demo.fill", "demo.posters"},
    "app": {"app", "dav.serve"},
    "cli": {"cli", "__main__"},
}


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "kalends").with_suffix("").parts).removesuffix("__init__").rstrip(".")


NAMES = {_name(path) for path in MODULES}


def _layer(name: str) -> str:
    """The layer of a module; an unknown one fails."""
    first, last = name.split(".")[0], name.split(".")[-1]
    if first in FOLDERS:
        return FOLDERS[first]
    if "." in name and last in FEATURE:
        return FEATURE[last]
    if last.endswith("_pages"):
        return "pages"
    layers = [layer for layer, names in MODULE_LAYERS.items() if name in names]
    assert len(layers) == 1, f"kalends/{name}: say in MODULE_LAYERS of which layer it is"
    return layers[0]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def _imports(path: Path) -> list[str]:
    """The modules of kalends that a file imports."""
    names = []
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "kalends":
            module = node.module.removeprefix("kalends").lstrip(".")
            inner = [f"{module}.{alias.name}".lstrip(".") for alias in node.names]
            names += [name if name in NAMES else module for name in inner]
    return names


def test_imports_follow_the_layers() -> None:
    imports = [(_name(path), imported) for path in MODULES for imported in _imports(path)]
    assert [
        f"kalends/{name} may not import kalends/{imported}"
        for name, imported in imports
        if LAYERS.index(_layer(imported)) > LAYERS.index(_layer(name))
    ] == []
    assert len(imports) > len(MODULES)


def test_every_module_has_a_layer() -> None:
    assert {_layer(name) for name in NAMES} == set(LAYERS)


def test_folders_import_from_those_below_but_for_the_exceptions_by_design() -> None:
    tops = {(_name(path).split(".")[0], imported.split(".")[0]) for path in MODULES for imported in _imports(path)}
    folders = {path.name for path in (ROOT / "kalends").iterdir() if path.is_dir()} - {"__pycache__"}
    assert sorted(FOLDER_ORDER) == sorted(folders), "say in FOLDER_ORDER where the folder stands"
    arrows = {(folder, imported) for folder, imported in tops if {folder, imported} <= folders}
    assert {arrow for arrow in arrows if FOLDER_ORDER.index(arrow[1]) > FOLDER_ORDER.index(arrow[0])} == set(UPWARD)


def test_an_api_calls_no_other_features_api() -> None:
    apis = [path for path in MODULES if _name(path).endswith(".api")]
    assert [
        f"kalends/{_name(path)} calls kalends/{imported}"
        for path in apis
        for imported in _imports(path)
        if _layer(imported) == "api" and imported.split(".")[0] != _name(path).split(".")[0]
    ] == []
    assert apis


def test_the_dialects_stay_in_their_layer() -> None:
    free = {"db", "settings", "cli", "commands", "doctor"}
    assert [
        f"kalends/{_name(path)} says {match.group()}"
        for path in MODULES
        if _name(path).split(".")[0] not in free
        if (match := re.search(r"sqlite|postgres|apsw|psycopg", path.read_text(), re.IGNORECASE))
    ] == []


def test_a_module_opens_with_a_sentence() -> None:
    assert [f"kalends/{_name(path)} does not say what lives there" for path in MODULES if not ast.get_docstring(_tree(path))] == []


def test_every_module_with_endpoints_is_a_feature() -> None:
    declaring = {f"kalends.{_name(path)}" for path in MODULES if re.search(r"^@(endpoint|page)\(", path.read_text(), re.MULTILINE)}
    assert declaring == {feature.__name__ for feature in FEATURES}
    assert declaring == {endpoint.function.__module__ for endpoint in ENDPOINTS}


def test_an_endpoint_is_documented_and_lives_in_its_folder() -> None:
    assert [f"{each.method} {each.url} is not documented" for each in ENDPOINTS if not each.documentation] == []
    assert [f"{each.method} {each.url} is in {each.function.__module__}" for each in ENDPOINTS if not _is_in_its_folder(each)] == []


def _is_in_its_folder(endpoint: Endpoint) -> bool:
    _, folder, *inner, module = endpoint.function.__module__.split(".")
    if endpoint.format == "html":
        segment = SHORT_SEGMENTS.get(endpoint.resource, endpoint.resource).replace("-", "_")
        return segment in (folder, *inner) or module == f"{segment}_pages"
    if endpoint.in_api and endpoint.resource != "openapi":
        return folder.removesuffix("s") == endpoint.resource.removesuffix("s")
    return True


def test_a_setting_is_documented() -> None:
    text = (ROOT / "docs" / "self-hosting.md").read_text()
    assert [name for name in Settings.__struct_fields__ if meaning(name) not in text or f"`{variable(name)}`" not in text] == []


def test_every_error_has_a_type_and_words_of_its_own() -> None:
    kinds = problems()
    assert len({each.kind for each in kinds}) == len(kinds) == len({each.title for each in kinds})


def test_the_catalogue_lists_every_error_type_and_every_code_and_no_others() -> None:
    rows = set(re.findall(r"^\| `.*$", (ROOT / "docs" / "errors.md").read_text(), re.MULTILINE))
    types = {f"| `{each.kind}` | {each.status} | {meaning_of_error(each)} |" for each in problems()}
    assert rows == types | {f"| `{code}` | {about} |" for code, about in errors.CODES.items()}


def test_every_code_has_a_meaning() -> None:
    assert set(errors.CODES) == set(get_args(errors.Code))


def test_the_map_of_contributing_has_every_module_and_folder() -> None:
    entries = {path.name + "/" * path.is_dir() for path in (ROOT / "kalends").iterdir()} - {"__init__.py", "__pycache__/"}
    mapped = set(re.findall(r"`kalends/(\w+(?:/|\.py))`", (ROOT / "CONTRIBUTING.md").read_text()))
    assert mapped == entries


def test_links_between_documents_lead_somewhere() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_files_named_in_documents_exist() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        for path in re.findall(r"[` ]((?:tests|kalends|bench|deploy|docs)/[\w/.-]+\w)", document.read_text()):
            assert (ROOT / path).exists() or "thing" in path, f"{document.name} names {path}"


def test_no_file_names_a_registry() -> None:
    for path in [*ROOT.glob("*.lock"), *ROOT.glob("*.md"), ROOT / "Makefile", ROOT / "pyproject.toml"]:
        assert "index-url" not in path.read_text(), path.name
