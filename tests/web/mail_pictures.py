"""The pictures of mails in the documentation: their HTML and their text, on a phone and in a window."""

import tempfile
from collections.abc import Callable
from contextlib import closing
from email.message import EmailMessage
from html import escape
from pathlib import Path

from msgspec import structs
from playwright.sync_api import Browser

from kalends.app import application
from kalends.db import open_database
from kalends.db.migrate import migrate
from kalends.settings import Settings
from kalends.values import timestamps
from tests.cast import Cast
from tests.client import Client
from tests.conftest import Clock
from tests.deliveries.every_mail import Correspondence

WIDTHS = (390, 700)
HTML = {"invitation": "invitation", "change": "change", "reminder": "reminder", "message": "message", "announce": "announcement"}
TEXT = {"invitation": "invitation", "change": "change"}
Save = Callable[[bytes, Path], None]


def take(browser: Browser, folder: Path, save: Save) -> None:
    mails = _write()
    for width in WIDTHS:
        page = browser.new_page(viewport={"width": width, "height": 300})
        for kind, name in HTML.items():
            page.set_content(html_of(mails[kind]))
            save(page.screenshot(full_page=True), folder / f"mail-{name}-{width}.webp")
        for kind, name in TEXT.items():
            body = mails[kind].get_body(("plain",))
            assert body is not None
            page.set_content(
                f'<pre style="font: 14px monospace; white-space: pre-wrap; overflow-wrap: anywhere">{escape(body.get_content())}</pre>'
            )
            save(page.screenshot(full_page=True), folder / f"mail-{name}-text-{width}.webp")


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
