"""The mails in a browser: axe-core finds nothing in any of them, in light and in dark, and nothing is wider than a phone."""

import pytest
from msgspec import structs
from playwright.sync_api import Browser

from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import Database
from tests.cast import Cast
from tests.conftest import Clock
from tests.deliveries.every_mail import KINDS, Correspondence
from tests.web.axe import COLOURS, violations
from tests.web.mail_pictures import WIDTHS, html_of

# Mail programs show mails within pages of their own, which have the landmarks.
# All mails have one layout; these have every part of it. All of them are scanned in `make soak`.
SCANNED = {"announce", "cancel", "invitation", "message", "response", "notice response_news"}
RULES = {"runOnly": {"type": "tag", "values": "wcag2a wcag2aa wcag21a wcag21aa wcag22aa".split()}}


@pytest.mark.on_one_database
def test_every_mail_is_accessible_and_fits_on_a_phone(
    scanning_browser: Browser, cast: Cast, db: Database, settings: Settings, clock: Clock, monkeypatch: pytest.MonkeyPatch, soak: bool
) -> None:
    monkeypatch.setattr(timestamps, "now", clock)
    inbound = structs.replace(settings, inbound="pipe", inbound_domain="in.example.org")
    mails = Correspondence(cast, db, inbound, clock, location="Donaudampfschifffahrtsgesellschaftskapitänskajüte" * 3).send_to_files()
    assert set(mails) == KINDS
    page = scanning_browser.new_page(viewport={"width": WIDTHS[0], "height": 800})
    problems = []
    for kind, mail in mails.items():
        page.set_content(html_of(mail))
        # Nothing but colours is different in the dark.
        for scheme, rules in (("light", RULES), ("dark", COLOURS)) if soak or kind in SCANNED else ():
            page.emulate_media(color_scheme="light" if scheme == "light" else "dark")
            problems += [f"{kind} ({scheme}): {each}" for each in violations(page, rules)]
        if page.evaluate("document.documentElement.scrollWidth") > WIDTHS[0]:
            problems.append(f"{kind} is wider than {WIDTHS[0]} px")
    page.close()
    assert not problems, "\n".join(problems)
