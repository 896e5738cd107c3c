"""The SQL of pictures."""

from kalends.core.errors import QuotaReached
from kalends.core.i18n import gettext
from kalends.core.settings import variable
from kalends.core.values.picture import Picture
from kalends.http.context import Context

MEGABYTE = 1_000_000
DAY = 86_400
# How many pictures are deleted in one transaction.
BATCH = 100
_IS_USED = """(
    EXISTS (SELECT 1 FROM events e WHERE e.image_url = pictures.path) OR EXISTS (SELECT 1 FROM site s WHERE s.logo = pictures.path)
)"""


def insert(ctx: Context, owner_id: int, picture: Picture, files: list[bytes]) -> None:
    """Insert the picture, unless it is there already. files: the contents of its files, in their order."""
    size = sum(map(len, files))
    known = ctx.tx.rows("UPDATE pictures SET unused_at = :now WHERE path = :path RETURNING path", path=picture.path, now=ctx.now)
    if known:
        return
    _require_quota(ctx, owner_id, size)
    ctx.tx.run(
        """INSERT INTO pictures (path, owner_id, size, created_at, unused_at) VALUES (:path, :owner_id, :size, :now, :now)
           ON CONFLICT (path) DO NOTHING""",
        path=picture.path,
        owner_id=owner_id,
        size=size,
        now=ctx.now,
    )
    ctx.tx.many(
        "INSERT INTO picture_files (path, picture_path, content) VALUES (:path, :picture, :content) ON CONFLICT (path) DO NOTHING",
        [{"path": file.path, "picture": picture.path, "content": content} for file, content in zip(picture.files, files, strict=True)],
    )


def find_file(ctx: Context, path: str) -> bytes | None:
    """The content of a file."""
    content: bytes | None = ctx.tx.value("SELECT content FROM picture_files WHERE path = :path", path=path)
    return content


def clean_up(ctx: Context) -> None:
    """Delete pictures that neither the site nor an event has had for as long as a change can be undone.

    Those of deleted accounts are deleted immediately. A trigger marks a picture with 0 when an event loses it."""
    ctx.tx.run(
        f"""UPDATE pictures SET unused_at = CASE WHEN {_IS_USED} THEN NULL WHEN owner_id IS NULL THEN 1 ELSE :now END
            WHERE unused_at = 0""",
        now=ctx.now,
    )
    rows = ctx.tx.rows(
        f"SELECT path, {_IS_USED} FROM pictures WHERE unused_at > 0 AND unused_at <= :old ORDER BY unused_at LIMIT :batch",
        old=ctx.now - (ctx.settings.history_days + 1) * DAY,
        batch=BATCH,
    )
    ctx.tx.many("UPDATE pictures SET unused_at = NULL WHERE path = :path", [{"path": path} for path, is_used in rows if is_used])
    ctx.tx.many("DELETE FROM pictures WHERE path = :path", [{"path": path} for path, is_used in rows if not is_used])


def _require_quota(ctx: Context, owner_id: int, size: int) -> None:
    quota = ctx.settings.quota_picture_megabytes
    held = int(ctx.tx.value("SELECT coalesce(sum(size), 0) FROM pictures WHERE owner_id = :id", id=owner_id))
    if quota and held + size > quota * MEGABYTE:
        raise QuotaReached(
            gettext(
                "This account’s pictures have reached their limit of %(max)s MB. A picture still counts for %(days)s "
                "days after the last event stops using it. Use fewer or smaller pictures, or ask the server operator "
                "to raise %(variable)s.",
                max=quota,
                days=ctx.settings.history_days,
                variable=variable("quota_picture_megabytes"),
            )
        )
