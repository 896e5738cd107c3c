"""The picture beside links to a public event."""

from hashlib import sha256
from typing import Annotated

from msgspec import Meta, Struct

from kalends import policy
from kalends.core.i18n.locale import ENGLISH, Locale
from kalends.core.records.event import Event
from kalends.core.values.picture import parse_path
from kalends.features.calendars import store as calendars
from kalends.features.events.rules import span
from kalends.features.pictures import store
from kalends.features.pictures.steps import share_picture
from kalends.features.pictures.steps.share_picture import SharePicture
from kalends.http.context import Context
from kalends.http.endpoint import Document
from kalends.policy import Right
from kalends.policy import site as sites
from kalends.web.drawings import DEFAULT_COLOR, draw_cover
from kalends.web.page import page
from kalends.web.times import Times

# The width of the file that is taken of an uploaded picture.
IMAGE_WIDTH = 960


class Version(Struct, kw_only=True):
    """Which state of the event the picture is of."""

    v: Annotated[str, Meta(max_length=64, description="The version of the event in the URL that its page names.")] = ""


@page("GET", "/events/{event_id}/share_picture.png", guests=True, credentials=False, transaction=False)
def show(ctx: Context, event_id: int, params: Version) -> Document:
    """Title, time and place of a public event beside its picture, 1200 by 630 pixels. Its URL changes with the event."""
    with ctx.read():
        event = policy.event(ctx, event_id, to=Right.SEE)
        is_current = params.v == _version(ctx, event)
        picture = _describe(ctx, event)
    content = share_picture.draw(picture)
    ctx.headers["Cache-Control"] = "public, max-age=31536000, immutable" if is_current else "public, max-age=300"
    ctx.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return Document(content, "image/png")


def share_picture_url(ctx: Context, event: Event) -> str:
    """The URL of the picture, which changes with the event, so that it can be cached for ever."""
    return f"{ctx.settings.url}/events/{event.id}/share_picture.png?v={_version(ctx, event)}"


def _version(ctx: Context, event: Event) -> str:
    site = sites.get(ctx)
    return sha256(f"{event.etag} {site.name} {site.language}".encode()).hexdigest()[:16]


def _describe(ctx: Context, event: Event) -> SharePicture:
    """The picture in the language of the site: those who fetch it are programs, and show it to all readers."""
    cover, image = draw_cover(event.id), parse_path(event.image_url)
    file = next((each for each in image.files if each.width >= IMAGE_WIDTH), image.files[-1]) if image else None
    start_time, end_time = span.format_times(event)
    return SharePicture(
        title=event.title,
        date=Times(Locale(sites.get(ctx).language)).span(start_time, end_time, event.all_day),
        english_date=Times(ENGLISH).span(start_time, end_time, event.all_day),
        place=event.location_name or event.location or "",
        site_name=sites.get(ctx).name,
        color=_find_color(ctx, event),
        circles=tuple(cover.circles),
        heights=cover.heights,
        image=(store.find_file(ctx, file.path) if file else None) or b"",
    )


def _find_color(ctx: Context, event: Event) -> str:
    """The colour of the event's calendar, if that is public."""
    return calendars.find_public_color(ctx, event.calendar_id) or DEFAULT_COLOR
