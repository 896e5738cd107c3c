"""The settings of the site in force: what an admin has set, unless the operator has set it in the environment; and what waits for the
reader, whom each page shows it.

They are read with each page and each message, so that every process of every server shows a change at once."""

from msgspec import structs

from kalends.core.errors import Unavailable
from kalends.core.i18n import gettext
from kalends.core.i18n.locale import Locale
from kalends.core.limit_presets import REGISTRATION
from kalends.core.records.administration import Site, SiteRow
from kalends.core.settings import Settings
from kalends.db import Transaction, columns
from kalends.http.context import Context
from kalends.policy.actor import user
from kalends.policy.events import EVENT_EDITABLE
from kalends.policy.my_events import INVITED_EVENT_VISIBLE, MY_INVITATION, my_key

DEFAULTS = Site(
    name="Kalends",
    headline=gettext("What’s on"),
    tagline="",
    logo=None,
    accent_color="",
    time_zone="UTC",
    language="en",
    imprint_url="",
    privacy_url="",
    registration=REGISTRATION[""],
    visibility="everyone",
)
# The settings of the operator, by the names of those of the site, which they replace.
OPERATOR_SETTINGS = {
    "name": "site_name",
    "headline": "site_headline",
    "tagline": "site_line",
    "accent_color": "accent_color",
    "time_zone": "time_zone",
    "language": "language",
    "imprint_url": "imprint_url",
    "privacy_url": "privacy_url",
    "registration": "registration",
}


class _GuestRow(SiteRow, frozen=True):
    """The row, with whether there are users at all."""

    is_new: bool = False


class _ReaderRow(SiteRow, frozen=True):
    """The row, with whether the reader is an admin, and what waits for them."""

    reader_is_admin: bool = False
    reader_news: int = 0
    reader_invitations: int = 0
    reader_comments: int = 0
    reader_reports: int = 0


# How far the reader has read the news of their events: the last id that they were shown. Older news than NEWS_SECONDS is no news.
SEEN_COOKIE, NEWS_SECONDS = "kalends_seen", 14 * 86_400
MAX_WAITING, MAX_DIGITS = 100, 19

_IS_ADMIN = "EXISTS (SELECT 1 FROM users u WHERE u.id = :me AND u.role = 'admin')"
_NEWS = f"""SELECT n.at FROM organiser_news n
    WHERE n.owner_id = :me AND n.id > :seen AND n.response_id IS NOT NULL ORDER BY n.id DESC LIMIT {MAX_WAITING}"""
_INVITED = f"""e.until_at > :now AND e.status <> 'cancelled' AND {INVITED_EVENT_VISIBLE} AND NOT EXISTS (
    SELECT 1 FROM responses r WHERE r.event_id = e.id AND (r.email_key = :my_key OR r.user_id = :me))"""
_INVITATIONS = f"""SELECT 1 FROM invitations i WHERE {MY_INVITATION} AND (
    EXISTS (SELECT 1 FROM events e WHERE e.id = i.event_id AND {_INVITED})
    OR EXISTS (SELECT 1 FROM events e WHERE e.series_id = i.series_id AND {_INVITED})) LIMIT {MAX_WAITING}"""
# Of all comments that wait, the latest are looked at.
_COMMENTS = f"""SELECT k.event_id FROM (SELECT id, event_id FROM comments WHERE NOT approved ORDER BY id DESC LIMIT {MAX_WAITING}) AS k
    JOIN events e ON e.id = k.event_id JOIN calendars c ON c.id = e.calendar_id WHERE {EVENT_EDITABLE}"""
_REPORTS = f"SELECT 1 FROM reports WHERE closed_at IS NULL AND {_IS_ADMIN} LIMIT {MAX_WAITING}"
_COLUMNS = columns(
    _ReaderRow,
    reader_is_admin=f"{_IS_ADMIN} AS reader_is_admin",
    reader_news=f"(SELECT count(*) FROM ({_NEWS}) AS news WHERE news.at > :recent)",
    reader_invitations=f"(SELECT count(*) FROM ({_INVITATIONS}) AS invited)",
    reader_comments=f"(SELECT count(*) FROM ({_COMMENTS}) AS waiting)",
    reader_reports=f"(SELECT count(*) FROM ({_REPORTS}) AS reported)",
)
_COLUMNS_FOR_GUEST = columns(_GuestRow, is_new="NOT EXISTS (SELECT 1 FROM users u WHERE u.id > 0) AS is_new")
# There is a row to read also before an admin has set anything.
_ONE_ROW = "(SELECT 1 AS id) one_row LEFT JOIN site ON site.id = one_row.id"


def get(ctx: Context) -> Site:
    """The settings in force, read once for each request."""
    if ctx.site is None:
        with ctx.join_read() as tx:
            row = _find_with_reader(ctx, tx) if ctx.actor else tx.one(_GuestRow, f"SELECT {_COLUMNS_FOR_GUEST} FROM {_ONE_ROW}")
        assert row
        ctx.site = _merge(ctx.settings, row)
    return ctx.site


def _find_with_reader(ctx: Context, tx: Transaction) -> _ReaderRow | None:
    return tx.one(
        _ReaderRow,
        f"SELECT {_COLUMNS} FROM {_ONE_ROW}",
        me=user(ctx).id,
        my_key=my_key(ctx),
        now=ctx.now,
        recent=ctx.now - NEWS_SECONDS,
        seen=seen_news(ctx),
    )


def seen_news(ctx: Context) -> int:
    """The id of the last news of their events that the reader was shown."""
    seen = ctx.caller.cookie(SEEN_COOKIE)
    return int(seen) if seen.isascii() and seen.isdigit() and len(seen) < MAX_DIGITS else 0


def get_or_default(ctx: Context) -> Site:
    """The settings in force; without the database, what is known without it."""
    try:
        return get(ctx)
    except Unavailable:
        return without_database(ctx.settings)


def without_database(settings: Settings) -> Site:
    return _merge(settings, SiteRow())


def fixed_values(settings: Settings) -> dict[str, str]:
    """What the operator has set, and the page cannot change. Without passwords, nobody registers with one."""
    values = {name: value for name, setting in OPERATOR_SETTINGS.items() if (value := getattr(settings, setting))}
    return values | ({"registration": "closed"} if settings.passwords == "off" else {})


def _merge(settings: Settings, row: SiteRow) -> Site:
    stored = {name: value for name, value in structs.asdict(row).items() if value is not None}
    return structs.replace(DEFAULTS, **{"registration": REGISTRATION[settings.limits]} | stored | fixed_values(settings))


def reader_locale(ctx: Context) -> Locale:
    """As `ctx.locale`, which has the language of the site for those who ask for none that is offered, once the site is read."""
    get_or_default(ctx)
    return ctx.locale
