"""Show, index, search and create the way most teams would write them: FastAPI, SQLAlchemy's async ORM and Uvicorn, on a database
that `bench.load` filled. Only for comparing: it asks for less (whose the calendar is, for one) and says less than the service does."""

import hashlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import click
import uvicorn
from fastapi import Depends, FastAPI, Header, HTTPException, Query
from pydantic import BaseModel
from sqlalchemy import ForeignKey, event, or_, select, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship, selectinload

app = FastAPI()
sessions: async_sessionmaker[AsyncSession]


class Base(DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "users"
    id: Mapped[int] = mapped_column(primary_key=True)
    user_name: Mapped[str]
    name: Mapped[str | None]


class Session(Base):
    __tablename__ = "sessions"
    id: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    token_hash: Mapped[bytes]
    user: Mapped[User] = relationship()


class Calendar(Base):
    __tablename__ = "calendars"
    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    name: Mapped[str]
    public: Mapped[bool]


class Placement(Base):
    __tablename__ = "placements"
    id: Mapped[int] = mapped_column(primary_key=True)
    event_id: Mapped[int] = mapped_column(ForeignKey("events.id"))
    calendar_id: Mapped[int] = mapped_column(ForeignKey("calendars.id"))
    start_at: Mapped[int]
    public: Mapped[bool]
    grants: Mapped[bool]
    created_at: Mapped[int]
    calendar: Mapped[Calendar] = relationship()


class Event(Base):
    __tablename__ = "events"
    id: Mapped[int] = mapped_column(primary_key=True)
    owner_id: Mapped[int] = mapped_column(ForeignKey("users.id"))
    calendar_id: Mapped[int] = mapped_column(ForeignKey("calendars.id"))
    title: Mapped[str]
    description: Mapped[str | None]
    start_at: Mapped[int]
    end_at: Mapped[int | None]
    until_at: Mapped[int]
    all_day: Mapped[bool]
    time_zone: Mapped[str]
    location: Mapped[str | None]
    city: Mapped[str | None]
    tags: Mapped[str]
    public: Mapped[bool]
    search: Mapped[str]
    version: Mapped[int]
    edited: Mapped[bool]
    created_at: Mapped[int]
    updated_at: Mapped[int]
    owner: Mapped[User] = relationship()
    placements: Mapped[list[Placement]] = relationship()


class Item(BaseModel):
    id: int
    title: str
    start_time: datetime
    end_time: datetime | None
    all_day: bool
    time_zone: str
    location: str | None
    tags: list[str]
    public: bool
    calendar_ids: list[int]


class Detail(Item):
    description: str | None
    city: str | None
    owner: str
    calendars: list[str]


class Index(BaseModel):
    events: list[Item]


class EventFields(BaseModel):
    title: str
    start_time: datetime
    calendar_id: int
    tag_list: str = ""


async def database() -> AsyncIterator[AsyncSession]:
    async with sessions() as opened:
        yield opened


async def signed_in(authorization: Annotated[str, Header()], db: Annotated[AsyncSession, Depends(database)]) -> User:
    token = authorization.removeprefix("Bearer ")
    session = await db.scalar(
        select(Session).where(Session.token_hash == hashlib.sha256(token.encode()).digest()).options(selectinload(Session.user))
    )
    if session is None:
        raise HTTPException(401)
    return session.user


Db = Annotated[AsyncSession, Depends(database)]
Actor = Annotated[User, Depends(signed_in)]
_WHOLE = (selectinload(Event.owner), selectinload(Event.placements).selectinload(Placement.calendar))


@app.get("/readyz")
async def readyz(db: Db) -> dict[str, str]:
    await db.execute(text("SELECT 1"))
    return {"status": "ready"}


@app.get("/api/events/{event_id}")
async def show(event_id: int, db: Db, user: Actor) -> Detail:
    event = await db.scalar(select(Event).where(Event.id == event_id).options(*_WHOLE))
    if event is None or not (event.public or event.owner_id == user.id):
        raise HTTPException(404)
    calendars = [placement.calendar.name for placement in event.placements]
    return Detail(**_fields(event), description=event.description, city=event.city, owner=event.owner.user_name, calendars=calendars)


@app.get("/api/events")
async def index(
    db: Db,
    user: Actor,
    calendar_id: int | None = None,
    start_time: datetime | None = None,
    words: Annotated[str | None, Query(alias="text")] = None,
    limit: int = 50,
) -> Index:
    query = select(Event).options(selectinload(Event.placements)).order_by(Event.start_at, Event.id).limit(limit)
    if calendar_id is not None:
        query = query.join(Placement, Placement.event_id == Event.id).where(Placement.calendar_id == calendar_id)
    if start_time is not None:
        query = query.where(Event.start_at >= int(start_time.timestamp()))
    if words is not None:
        query = query.where(or_(Event.public, Event.owner_id == user.id), Event.search.contains(words))
    events = await db.scalars(query)
    return Index(events=[Item(**_fields(event)) for event in events])


@app.post("/api/events", status_code=201)
async def create(fields: EventFields, db: Db, user: Actor) -> Detail:
    now, start = int(datetime.now(UTC).timestamp()), int(fields.start_time.timestamp())
    event = Event(
        owner_id=user.id,
        calendar_id=fields.calendar_id,
        title=fields.title,
        start_at=start,
        until_at=start,
        all_day=False,
        time_zone="UTC",
        tags=fields.tag_list,
        public=False,
        search=fields.title.lower(),
        version=1,
        edited=False,
        created_at=now,
        updated_at=now,
    )
    db.add(event)
    await db.flush()
    db.add(Placement(event_id=event.id, calendar_id=fields.calendar_id, start_at=start, public=False, grants=True, created_at=now))
    await db.commit()
    return await show(event.id, db, user)


def _fields(event: Event) -> dict[str, Any]:
    return {
        "id": event.id,
        "title": event.title,
        "start_time": datetime.fromtimestamp(event.start_at, UTC),
        "end_time": datetime.fromtimestamp(event.end_at, UTC) if event.end_at is not None else None,
        "all_day": event.all_day,
        "time_zone": event.time_zone,
        "location": event.location,
        "tags": event.tags.split(",") if event.tags else [],
        "public": event.public,
        "calendar_ids": [placement.calendar_id for placement in event.placements],
    }


@click.command()
@click.option("--data", required=True)
@click.option("--database", default="")
@click.option("--port", type=int, required=True, envvar="KALENDS_PORT")
def main(data: str, database: str, port: int) -> None:
    global sessions
    sessions = async_sessionmaker(_postgres(database) if database else _sqlite(data), expire_on_commit=False)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error", access_log=False)


def _postgres(address: str) -> AsyncEngine:
    return create_async_engine(address.replace("postgresql://", "postgresql+asyncpg://", 1))


def _sqlite(data: str) -> AsyncEngine:
    engine = create_async_engine(f"sqlite+aiosqlite:///{Path(data) / 'kalends.sqlite3'}")

    @event.listens_for(engine.sync_engine, "connect")
    def pragmas(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA busy_timeout=5000")

    return engine


if __name__ == "__main__":
    main()
