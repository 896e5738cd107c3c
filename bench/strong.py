"""Show, index, search and create as a good team would write them for speed: FastAPI on Uvicorn (uvloop, httptools), SQL by hand on
asyncpg and aiosqlite with one statement for a read, and orjson. It has the rights and the replies of the service."""

import hashlib
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import click
import orjson
import uvicorn
from fastapi import FastAPI, HTTPException, Query, Request, Response
from pydantic import BaseModel

from bench.strong_database import ACCESS, RIGHTS_SQL, SETTINGS, Database, Params, Postgres, Row, Sqlite, index_sql, show_sql

DAY = 86_400
IDLE, LIFETIME = 14 * DAY, 90 * DAY
MAX_PAGE = 500
# Of an event without settings for its responses.
DEFAULTS = dict(zip(SETTINGS, (True, None, None, "off", "fit", True, False, 24), strict=True))
DETAILS = ("description", "location_name", "street", "city", "state", "zip", "country")

db: Database
base_url: str
# The data folder and the URL of PostgreSQL, if it is used.
options: tuple[str, str]


class EventInput(BaseModel):
    title: str
    start_time: datetime
    end_time: datetime | None = None
    calendar_id: int
    tag_list: str = ""
    description: str | None = None
    location: str | None = None


@asynccontextmanager
async def lifespan(_: FastAPI) -> AsyncIterator[None]:
    global db
    data, database = options
    db = await Postgres.open(database) if database else await Sqlite.open(data)
    yield


app = FastAPI(lifespan=lifespan, openapi_url=None)


@app.get("/readyz")
async def readyz() -> Response:
    await db.rows("SELECT 1", ())
    return _json({"status": "ready"})


@app.get("/api/events/{event_id}")
async def show(event_id: int, request: Request) -> Response:
    rows = await db.rows(show_sql(db), (*_session(request), event_id))
    if not rows:
        raise HTTPException(401)
    event = rows[0]
    if event["id"] is None:
        raise HTTPException(404)
    calendars = [{"id": calendar_id, "name": name} for calendar_id, name in _loads(event["calendars"])]
    return _json(_detail(event, calendars))


@app.get("/api/events")
async def index(
    request: Request,
    calendar_id: int | None = None,
    start_time: datetime | None = None,
    text: str | None = None,
    limit: Annotated[int, Query(ge=1)] = 50,
) -> Response:
    limit = min(limit, MAX_PAGE)
    start_at = int(start_time.timestamp()) if start_time else None
    rows = await db.items(*index_sql(db, _session(request), calendar_id, start_at, text, limit + 1))
    if not rows:
        await _require_rights(request, calendar_id)
    events = [_item(row, _loads(row["calendar_ids"])) for row in rows[:limit]]
    next_page = None
    if len(rows) > limit:
        last = rows[limit - 1]
        query = "&".join(pair for pair in request.url.query.split("&") if not pair.startswith("limit="))
        next_page = f"/api/events?{query}&limit={limit}&offset={limit}&after={last['start_at']}.{last['id']}"
    return _json({"events": events, "limit": limit, "offset": 0, "next": next_page})


@app.post("/api/events")
async def create(sent: EventInput, request: Request) -> Response:
    now, start_at = int(time.time()), int(sent.start_time.timestamp())
    end_at = int(sent.end_time.timestamp()) if sent.end_time else None
    search = " ".join(filter(None, (sent.title, sent.description, sent.location, sent.tag_list))).lower()
    fields = (sent.title, sent.description, start_at, end_at, sent.location, sent.tag_list, search, now)
    row = await db.create((*_session(request), sent.calendar_id, *fields))
    if row is None:
        await _require_rights(request, sent.calendar_id)
        raise HTTPException(403)
    event = dict.fromkeys(("image_url", "uid", "series_id", "rrule", "responses", "status_note", "by_link", *SETTINGS, *DETAILS)) | dict(
        row
    )
    event |= {"title": sent.title, "description": sent.description, "end_at": end_at, "location": sent.location, "tags": sent.tag_list}
    event |= {
        "all_day": False,
        "status": "planned",
        "created_at": now,
        "updated_at": now,
        "comments_count": 0,
        "can_edit": True,
        "has_questions": False,
        **dict.fromkeys(ACCESS),
        "online_for": "going",
        "place_for": "everyone",
    }
    return _json(_detail(event, [{"id": row["calendar_id"], "name": row["calendar_name"]}]), 201)


def _session(request: Request) -> Params:
    """The parameters of the session: the hash of its token, and since when it must have been used and opened."""
    token = request.headers.get("authorization", "").removeprefix("Bearer ")
    now = int(time.time())
    return hashlib.sha256(token.encode()).digest(), now - IDLE, now - LIFETIME


async def _require_rights(request: Request, calendar_id: int | None) -> None:
    rows = await db.rows(RIGHTS_SQL, (*_session(request), calendar_id))
    if not rows:
        raise HTTPException(401)
    if calendar_id is not None and not rows[0]["visible"]:
        raise HTTPException(404)


def _item(event: Row, calendar_ids: list[int]) -> dict[str, Any]:
    zone, tags = _zone(event["time_zone"]), event["tags"]
    return {
        "id": event["id"],
        "title": event["title"],
        "start_time": _local(event["start_at"], zone, event["all_day"]),
        "end_time": None if event["end_at"] is None else _local(event["end_at"], zone, event["all_day"]),
        "all_day": bool(event["all_day"]),
        "time_zone": event["time_zone"],
        "location": event["location"],
        "image_url": event["image_url"],
        "tag_list": tags,
        "tags": tags.split(",") if tags else [],
        "public": bool(event["public"]),
        "status": event["status"],
        "status_note": event["status_note"],
        "calendar_ids": calendar_ids,
        "series_id": event["series_id"],
        # The service derives the end from its secret.
        "uid": event["uid"] or f"event-{event['id']}.000000000000@kalends",
        "url": f"{base_url}/events/{event['id']}",
        "updated_at": _format_utc(event["updated_at"]),
    }


def _detail(event: Row, calendars: list[dict[str, Any]]) -> dict[str, Any]:
    counts = {response: (number, people) for response, number, people in _loads(event["responses"])}
    yes, people = counts.get("YES", (0, 0))
    repeat = {"rrule": event["rrule"], "start_date": event["start_date"]} if event["rrule"] else None
    return {
        **_item(event, [calendar["id"] for calendar in calendars]),
        **{name: event[name] for name in (*DETAILS, *ACCESS)},
        # The events here withhold nothing.
        "online": event["online_url"] is not None,
        "has_place": any(event[name] for name in ("location", "location_name", "street")),
        "owner": {"id": event["owner_id"], "name": event["owner_name"]},
        "calendars": calendars,
        "image": {"url": event["image_url"]} if event["image_url"] else None,
        "visibility": "public" if event["public"] else "link" if event["by_link"] else "members",
        "link_url": None,
        "repeat": repeat,
        "party_max": event["party_max"],
        **(DEFAULTS if event["responses_open"] is None else {name: event[name] for name in SETTINGS}),
        "places": None,
        # The events here have none; to read them would be a second statement.
        "questions": None if event["has_questions"] else [],
        "responses": {"yes": yes, "maybe": counts.get("MAYBE", (0, 0))[0], "no": counts.get("NO", (0, 0))[0], "people": people},
        "comments_count": event["comments_count"],
        "can_edit": bool(event["can_edit"]),
        "created_at": _format_utc(event["created_at"]),
    }


@lru_cache
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _local(instant: int, zone: ZoneInfo, all_day: bool) -> datetime | date:
    """orjson formats it."""
    local = datetime.fromtimestamp(instant, zone)
    return local.date() if all_day else local


def _format_utc(instant: int) -> str:
    return datetime.fromtimestamp(instant, UTC).isoformat()[:19] + "Z"


def _loads(text: str | None) -> Any:
    """An aggregate of no rows is null in PostgreSQL."""
    return orjson.loads(text) if text else []


def _json(content: object, status: int = 200) -> Response:
    return Response(orjson.dumps(content), status, media_type="application/json")


@click.command()
@click.option("--data", required=True)
@click.option("--database", default="")
@click.option("--port", type=int, required=True, envvar="KALENDS_PORT")
def main(data: str, database: str, port: int) -> None:
    global base_url, options
    base_url, options = f"http://127.0.0.1:{port}", (data, database)
    uvicorn.run(app, host="127.0.0.1", port=port, loop="uvloop", http="httptools", ws="none", log_level="error", access_log=False)


if __name__ == "__main__":
    main()
