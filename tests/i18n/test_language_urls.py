"""The languages of public pages for search engines, and of rules for readers of the API."""

import pytest

from kalends.core.i18n.catalogs import OFFERED
from kalends.core.settings import Settings
from tests.cast import Cast, a_calendar, an_event
from tests.openapi.page import read

pytestmark = pytest.mark.on_one_database


def _alternates(text: str) -> dict[str, str]:
    links = [link for link in read(text).all("link") if link.attributes.get("hreflang")]
    return {str(link.attributes["hreflang"]): str(link.attributes["href"]) for link in links}


def test_public_pages_name_their_urls_in_each_language(cast: Cast, settings: Settings) -> None:
    calendar = a_calendar(cast.alice, public=True)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    for path in ("/", f"/events/{event['id']}", f"/calendars/{calendar['id']}", "/organisers", f"/organisers/{cast.alice.id}"):
        url = settings.url + path
        expected = {language: f"{url}?lang={language}" for language in OFFERED} | {"x-default": url}
        for page in (path, f"{path}?lang=de"):
            assert _alternates(cast.anonymous.get(page).text) == expected, page


def test_the_url_of_a_language_shows_the_page_in_it_and_is_canonical(cast: Cast) -> None:
    event = an_event(cast.alice, public=True)
    page = read(cast.anonymous.get(f"/events/{event['id']}?lang=de", headers={"Accept-Language": "fr"}).text)
    assert page.all("html")[0].attributes["lang"] == "de"
    [canonical] = [link.attributes["href"] for link in page.all("link") if link.attributes.get("rel") == "canonical"]
    assert canonical == f"{event['url']}?lang=de"
    other = read(cast.anonymous.get(f"/events/{event['id']}?lang=xx", headers={"Accept-Language": "fr"}).text)
    assert other.all("html")[0].attributes["lang"] == "fr"


def test_pages_that_are_not_public_have_no_urls_by_language(cast: Cast) -> None:
    calendar = a_calendar(cast.alice)
    event = an_event(cast.alice, calendar_id=calendar["id"])
    headers = {"Cookie": f"kalends_session={cast.alice.token}"}
    for path in (f"/events/{event['id']}", f"/calendars/{calendar['id']}", "/sign-in", "/?text=jazz"):
        reply = cast.anonymous.get(path, headers=headers)
        assert (reply.status, _alternates(reply.text)) == (200, {}), path


def test_the_sentence_of_a_rule_is_in_the_readers_language(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, start_time="2027-05-11T20:00")
    path = f"/api/events/{event['id']}"
    assert cast.alice.put(f"{path}/repeat", json={"frequency": "WEEKLY", "count": 3}).status == 200
    replies = {
        language: cast.anonymous.get(path, headers={"Accept-Language": language} if language else {}) for language in ("", "de", "tlh")
    }
    texts = {language: reply.json["repeat"]["text"] for language, reply in replies.items()}
    assert texts["tlh"] == texts[""] != texts["de"]
    assert "Woche" in texts["de"] or "Dienstag" in texts["de"]
    assert replies["de"].headers["ETag"] != replies[""].headers["ETag"]
    assert all("Accept-Language" in reply.headers["Vary"] for reply in replies.values())
    unchanged = {"Accept-Language": "de", "If-None-Match": replies["de"].headers["ETag"]}
    assert cast.anonymous.get(path, headers=unchanged).status == 304
    assert cast.alice.put(path, json={"title": "New"}, headers={"If-Match": replies["de"].headers["ETag"]}).status == 200
