"""The pictures of mails in the documentation, on a phone and in a window."""

import tempfile
from collections.abc import Callable
from contextlib import closing
from email.message import EmailMessage
from pathlib import Path

from msgspec import structs
from playwright.sync_api import Browser

from kalends.app.application import application
from kalends.core.settings import Settings
from kalends.core.values import timestamps
from kalends.db import open_database
from kalends.db.migrate import migrate
from tests.cast import Cast
from tests.client import Client
from tests.conftest import Clock
from tests.deliveries.every_mail import Correspondence

WIDTHS = (390, 700)
# The kinds of mail that are shown, with the width of each.
SHOWN = {"invitation": 390, "change": 700}
Save = Callable[[bytes, Path], None]


def take(browser: Browser, folder: Path, save: Save) -> None:
    mails = _write()
    for kind, width in SHOWN.items():
        page = browser.new_page(viewport={"width": width, "height": 300})
        page.set_content(html_of(mails[kind]))
        save(page.screenshot(full_page=True), folder / f"mail-{kind}-{width}.webp")


def html_of(mail: EmailMessage) -> str:
    body = mail.get_body(("html",))
    assert body is not None
    return str(body.get_content())


def _write() -> dict[str, EmailMessage]:
    """A mail of each kind, of a server in this process."""
    clock = Clock()
    timestamps.now = clock
    with tempfile.TemporaryDirectory(prefix="kalends-mails-") as scratch:
        settings = Settings(data=scratch, base_url="https://calendar.example.org", secret="s" * 32, rate_limits="off")
        settings = structs.replace(settings, inbound="pipe", inbound_domain="in.example.org")
        with closing(open_database(settings)) as db:
            migrate(db)
            return Correspondence(Cast(Client(application(db, settings, clock))), db, settings, clock).send_to_files()
