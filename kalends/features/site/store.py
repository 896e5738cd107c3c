"""The SQL of the settings of the site as they are stored, and of its style sheets."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from msgspec import structs

from kalends.core.records.administration import SiteRow
from kalends.db import columns
from kalends.http.context import Context
from kalends.policy import site as sites


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


def insert_style(ctx: Context, css: str | None) -> str | None:
    """Keep the style sheet, and return its digest; that of an earlier draft is deleted. None if it is empty."""
    ctx.tx.run("DELETE FROM site_styles WHERE digest NOT IN (SELECT style FROM site WHERE style IS NOT NULL)")
    if not css or not css.strip():
        return None
    digest = sha256(css.encode()).hexdigest()[:32]
    sql = "INSERT INTO site_styles (digest, css, created_at) VALUES (:digest, :css, :now) ON CONFLICT (digest) DO NOTHING"
    ctx.tx.run(sql, digest=digest, css=css, now=ctx.now)
    return digest


def find_style(ctx: Context, digest: str) -> str | None:
    """The style sheet with this digest."""
    css: str | None = ctx.tx.value("SELECT css FROM site_styles WHERE digest = :digest", digest=digest)
    return css


def update_logo(ctx: Context, path: str | None) -> None:
    """Give the site this picture as its logo, or none."""
    update(ctx, structs.replace(lock(ctx), logo=path))


def describe_new(ctx: Context, values: Mapping[str, Any]) -> None:
    """Set what the site says about itself, unless somebody has an account already."""
    if sites.get(ctx).is_new:
        update(ctx, structs.replace(lock(ctx), **values))
