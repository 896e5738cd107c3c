"""Every page in a pseudolocale, which has another letter for each of ours: what can still be read is not in the catalogues."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kalends.core.i18n import locale
from kalends.core.i18n.catalogs import LANGUAGES, Catalog
from kalends.core.settings import Settings
from kalends.http.origin import COOKIE
from kalends.web import environment
from tests.cast import Cast
from tests.client import Reply
from tests.http.stored_rows import fresh_service
from tests.i18n.literals import texts_of_page
from tests.web.pages import PAGES, Visit, reader, url_of
from tests.web.scene import Scene

_MARKUP = re.compile(r"(%\(\w+\)s|<[^>]*>|&\w+;)")
_PSEUDO_LETTERS = str.maketrans({chr(code): chr(code - 0x41 + 0x13A0) for code in (*range(0x41, 0x5B), *range(0x61, 0x7B))})
_READABLE = re.compile(r"[A-Za-z]{2,}")
# What is the same in every language: names of people, places, languages and services, addresses, what the scene writes plainly, and
# what a mail server said.
_SAME = re.compile(
    r"\S+@\S+|\b(?:https?|webcal)://\S+|\b\w+/[A-Z]\w+|\b(?:alice|bob|vera|ada|walter)-\w+"
    r"|\b\d+\.\d+\.\d+\.dev\d+|\b(?:Alice|Ada|Bob|Vera|Walter|Émile Østergård)\b"
    r"|\b(?:Google Calendar|Google|Yahoo|Outlook|Microsoft|Kalends|KALENDS_\w+|SQLite|PostgreSQL|RSS|Atom|API|UTC|Paris)\b"
    r"|\b(?:coltrane|dentist|nothing-of-the-kind)\b"
    r"|\b(?:Concert|Late session|See you there|friends|jazz|live|Salt|Soup|Pepper|Salad|No such user|The Club|gig \d)\b|"
    + "|".join(LANGUAGES.values())
)
# Written for developers, in English.
_DOCS = "GET /docs"


class PseudoCatalog(Catalog, frozen=True):
    """Has every message."""

    def find(self, msgid: str, plural: str | None = None, number: int = 1) -> str:
        return pseudolocalize(msgid if plural is None or number == 1 else plural)


def pseudolocalize(text: str) -> str:
    return "".join(part if i % 2 else part.translate(_PSEUDO_LETTERS) for i, part in enumerate(_MARKUP.split(text)))


@pytest.fixture(autouse=True)
def pseudolocale(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Japanese has no Latin letters in dates."""
    catalog = PseudoCatalog()
    monkeypatch.setattr(locale, "load_catalog", lambda language: catalog)
    environment._environment.cache_clear()
    yield
    environment._environment.cache_clear()


@pytest.mark.on_one_database
def test_every_page_is_in_the_language_of_its_reader(settings: Settings, tmp_path: Path) -> None:
    # The public events of other tests would be on its pages.
    with fresh_service(settings, tmp_path) as service:
        scene = Scene(Cast(service.guest), service.settings, _say)
        # Guests who are not asked to confirm their response make none.
        vars(scene)["proposal_token"] = "unknown"
        readable = {}
        for visit in [visit for name, visits in PAGES.items() if not name.startswith(_DOCS) for visit in visits]:
            texts = [_SAME.sub("", text) for text in texts_of_page(_open(scene, visit).text)]
            if english := [text for text in texts if _READABLE.search(text)]:
                readable[str(visit)] = english
    assert readable == {}


def _open(scene: Scene, visit: Visit) -> Reply:
    person = reader(scene, visit.reader)
    headers = {"accept": "text/html", "accept-language": "ja", "cookie": f"{COOKIE}={person.token}" if person else ""}
    reply = scene.guest.get(url_of(scene, visit.path), headers=headers)
    while reply.status in (303, 308):
        reply = scene.guest.get(reply.headers["location"], headers=headers)
    return reply


def _say(field: str, words: str) -> str:
    """Texts of the scene, apart from those whose letters count."""
    return words if field in ("email", "phone_number", "image", "unique_id", "zip_code", "zip") else pseudolocalize(words)
