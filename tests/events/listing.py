"""Helpers that read lists of events as a client does: one page, or page by page."""

from typing import Any

from tests.client import Client

MOST_PAGES = 200


def listed(client: Client, **query: Any) -> list[int]:
    """The ids of the events that a query finds, up to the largest page."""
    reply = client.get("/api/events", query={"limit": 500} | query)
    assert reply.status == 200, reply
    return [event["id"] for event in reply.json["events"]]


def page(client: Client, url: str) -> tuple[list[int], str | None]:
    """The ids of one page and the URL of the next, which the body and the Link header say alike."""
    reply = client.get(url)
    assert reply.status == 200, reply
    following = reply.json["next"]
    assert reply.headers.get("Link") == (f'<{following}>; rel="next"' if following else None)
    return [event["id"] for event in reply.json["events"]], following


def paged(client: Client, url: str) -> list[int]:
    """The ids of all pages, from the first to the last."""
    all_ids: list[int] = []
    following: str | None = url
    for _ in range(MOST_PAGES):
        assert following
        ids, following = page(client, following)
        all_ids += ids
        if following is None:
            return all_ids
    raise AssertionError("the pages do not end")
