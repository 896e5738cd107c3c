"""The settings of the site: what an admin has set, unless the operator has set it in the environment.

They are read with each page and each message, so that every process of every server shows a change at once."""

from msgspec import structs

from kalends.context import Context
from kalends.db import columns
from kalends.errors import Unavailable
from kalends.i18n import gettext
from kalends.records.site import Site, SiteRow
from kalends.settings import Settings

DEFAULTS = Site(
    name="Kalends",
    headline=gettext("What is on"),
    tagline="",
    logo=None,
    accent_color="",
    time_zone="UTC",
    language="en",
    imprint_url="",
    privacy_url="",
    registration="open",
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


class _ReaderRow(SiteRow, frozen=True):
    """The row, with whether the reader is an admin."""

    reader_is_admin: bool = False


_COLUMNS = columns(_ReaderRow, reader_is_admin="EXISTS (SELECT 1 FROM users u WHERE u.id = :me AND u.role = 'admin') AS reader_is_admin")
# There is a row to read also before an admin has set anything.
_ONE_ROW = "(SELECT 1 AS id) one_row LEFT JOIN site ON site.id = one_row.id"


def get(ctx: Context) -> Site:
    """The settings in force, read once for each request."""
    if ctx.site is None:
        with ctx.join_read() as tx:
            row = tx.one(_ReaderRow, f"SELECT {_COLUMNS} FROM {_ONE_ROW}", me=ctx.actor.id if ctx.actor else 0)
        assert row
        ctx.site = _merge(ctx.settings, row)
    return ctx.site


def get_or_default(ctx: Context) -> Site:
    """The settings in force; without the database, what is known without it."""
    try:
        return get(ctx)
    except Unavailable:
        return without_database(ctx.settings)


def without_database(settings: Settings) -> Site:
    return structs.replace(DEFAULTS, **fixed_values(settings))


def fixed_values(settings: Settings) -> dict[str, str]:
    """What the operator has set, and the page cannot change."""
    return {name: value for name, setting in OPERATOR_SETTINGS.items() if (value := getattr(settings, setting))}


def _merge(settings: Settings, row: _ReaderRow) -> Site:
    stored = {name: value for name, value in structs.asdict(row).items() if value is not None}
    return structs.replace(DEFAULTS, **stored | fixed_values(settings))


def find_row(ctx: Context) -> SiteRow:
    """What is stored."""
    return ctx.tx.one(SiteRow, f"SELECT {columns(SiteRow)} FROM site") or SiteRow()


def lock(ctx: Context) -> SiteRow:
    """What is stored, locked until the transaction ends."""
    ctx.tx.advisory_lock("site")
    return find_row(ctx)


def update(ctx: Context, row: SiteRow) -> None:
    """Replace what is stored. A picture that was replaced is deleted later, like that of an event."""
    ctx.tx.run("UPDATE pictures SET unused_at = 0 WHERE path = (SELECT logo FROM site WHERE logo IS DISTINCT FROM :logo)", logo=row.logo)
    names = SiteRow.__struct_fields__
    ctx.tx.run(
        f"""INSERT INTO site (id, {", ".join(names)}) VALUES (1, {", ".join(f":{name}" for name in names)})
            ON CONFLICT (id) DO UPDATE SET {", ".join(f"{name} = :{name}" for name in names)}""",
        **structs.asdict(row),
    )
    ctx.site = None


def update_logo(ctx: Context, path: str | None) -> None:
    """Give the site this picture as its logo, or none."""
    update(ctx, structs.replace(lock(ctx), logo=path))
