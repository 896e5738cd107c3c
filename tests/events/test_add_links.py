"""Links that add an event to calendars on the web."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.cast import Cast, an_event
from tests.client import Client

pytestmark = pytest.mark.on_one_database


@pytest.mark.parametrize(
    ("times", "google", "outlook"),
    [
        (
            {"start_time": "2026-06-01T20:00", "end_time": "2026-06-02T01:30", "time_zone": "Europe/Paris"},
            "20260601T180000Z/20260601T233000Z",
            ("2026-06-01T18:00:00+00:00", "2026-06-01T23:30:00+00:00"),
        ),
        (
            {"start_time": "2026-06-01T20:00", "time_zone": "America/New_York"},
            "20260602T000000Z/20260602T010000Z",
            ("2026-06-02T00:00:00+00:00", "2026-06-02T01:00:00+00:00"),
        ),
        ({"start_time": "2026-06-01", "end_time": "2026-06-03"}, "20260601/20260604", ("2026-06-01", "2026-06-04")),
    ],
    ids=["times", "no end", "days"],
)
def test_the_page_links_to_calendars_on_the_web(
    cast: Cast, client: Client, times: dict[str, str], google: str, outlook: tuple[str, str]
) -> None:
    event = an_event(cast.alice, title="Trio & more", public=True, **times)
    page = client.get(f"/events/{event['id']}").text
    urls = [
        part.partition('"')[0].replace("&amp;", "&")
        for part in page.split('href="')
        if part.startswith(("https://calendar.google", "https://outlook"))
    ]
    first, second = ({name: each for name, [each] in parse_qs(urlsplit(url).query).items()} for url in urls)
    assert (first["text"], first["dates"], first["details"]) == ("Trio & more", google, event["url"])
    assert (second["subject"], second["startdt"], second["enddt"]) == ("Trio & more", *outlook)
