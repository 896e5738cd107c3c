"""The language of pages: Accept-Language, the switch, the site's setting."""

import json

import pytest

from kalends.core.errors import FieldError, Forbidden
from kalends.core.i18n import gettext, ngettext
from kalends.core.i18n.catalogs import LANGUAGES, OFFERED
from kalends.core.i18n.locale import ENGLISH, choose_locale
from kalends.http.error_handler import encode
from tests.cast import Cast
from tests.client import Client


def test_only_languages_that_are_offered_are_chosen() -> None:
    OFFERED[:] = ["en", "fr"]
    assert choose_locale("de", "it", "nl, fr;q=0.5", "ar").language == "fr"
    assert choose_locale("de", "it", "nl", "ar").language == "en"


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,de;q=0.9,en;q=0.8", "de"),
        ("sv, fr;q=0.5, en;q=0.7", "en"),
        ("fr;q=0", "en"),
        ("zh-Hant-TW, JA;q=0.2", "ja"),
        ("*", "en"),
        ("x" * 600 + ", de", "en"),
        ("de;q=2, ;;, =", "en"),
    ],
)
def test_the_browser_chooses_the_language(accepted: str, language: str) -> None:
    assert choose_locale("", "", accepted, "en").language == language


def test_the_users_setting_wins_over_the_cookie_and_the_cookie_over_the_browser() -> None:
    assert choose_locale("it", "nl", "de", "en").language == "it"
    assert choose_locale("", "nl", "de", "en").language == "nl"
    assert choose_locale("", "klingon", "", "pt").language == "pt"


@pytest.mark.on_one_database
def test_a_page_says_its_language_and_direction(client: Client) -> None:
    page = client.get("/", headers={"accept-language": "ar"})
    assert '<html lang="ar" dir="rtl">' in page.text
    assert "Accept-Language" in page.headers["vary"]
    assert '<html lang="en" dir="ltr">' in client.get("/").text


@pytest.mark.on_one_database
def test_the_switch_is_remembered_and_leads_back(client: Client) -> None:
    page = client.get("/?text=a")
    assert 'action="/language?next=/%3Ftext%3Da"' in page.text
    assert all(f">{name}</button>" in page.text for name in LANGUAGES.values())
    reply = client.post("/language?next=/%3Ftext%3Da", data={"language": "de"})
    assert (reply.status, reply.headers["location"], reply.cookies["kalends_language"]) == (303, "/?text=a", "de")


@pytest.mark.on_one_database
def test_an_error_page_speaks_the_language_of_the_reader(cast: Cast) -> None:
    assert (
        '<html lang="fr" dir="ltr">' in cast.alice.get("/events/999999999", headers={"accept-language": "fr", "accept": "text/html"}).text
    )


def test_a_program_gets_messages_in_english() -> None:
    problem = Forbidden(gettext("Only %(name)s may do this.", name="Ana"), [FieldError("a", ngettext("1 day", "%(num)s days", 1400))])
    body = json.loads(encode(problem, "1"))
    assert (body["detail"], body["errors"][0]["message"]) == ("Only Ana may do this.", "1,400 days")


def test_a_message_is_translated_with_the_messages_in_it() -> None:
    text = gettext("Only %(name)s may do this.", name=gettext("the owner"))
    assert ENGLISH.translate(text) == text == "Only the owner may do this."
