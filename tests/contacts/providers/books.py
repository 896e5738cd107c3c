"""Real CardDAV servers on the loopback, each with the same people, more than a batch of them, and a password."""

import json
import socket
import subprocess
import sys
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Self

from tests.serve.running import TIMEOUT

USER, PASSWORD = "ana@example.org", "abcdefghijklmnop"
# Xandikos refuses these user names a query, as Yahoo does, or every report.
NO_QUERY, NO_REPORT = f"no-query-{USER}", f"no-report-{USER}"
PEOPLE, FRIENDS = 250, 10
BOOKS = ("friends", "addressbook")


def card(number: int) -> str:
    """A card with letters from everywhere; each tenth has no address, each seventh has two more."""
    addresses = [] if number % 10 == 0 else [f"person{number}@example.org"]
    if addresses and number % 7 == 0:
        addresses += [f"žofie{number}@example.net", f"person{number}@work.example.com"]
    lines = ["BEGIN:VCARD", "VERSION:3.0", f"UID:card-{number}", f"FN:Žofie 李雷 Ødegård {number}", f"N:Ødegård {number};Žofie 李雷;;;"]
    lines += [f"EMAIL;TYPE=INTERNET:{address}" for address in addresses]
    return "\r\n".join([*lines, "TEL;TYPE=CELL:+33 6 12 34 56 78", "END:VCARD", ""])


def book_of(number: int) -> str:
    return "friends" if number < FRIENDS else "addressbook"


class Book:
    """A started server."""

    def __init__(self, *command: str, port: str):
        self.process = subprocess.Popen([sys.executable, *command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self._port = port
        self._lines: list[str] = []
        self._ports: Queue[int] = Queue()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Its port is in the line that announces it."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.append(line)
            if self._port in line:
                self._ports.put(int("".join(filter(str.isdigit, line.rpartition(":")[2]))))
        self._ports.put(0)

    def ready(self) -> Self:
        port = self._ports.get(timeout=TIMEOUT)
        assert port, self._lines
        self.url = f"http://127.0.0.1:{port}"
        return self

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(TIMEOUT)


def radicale(folder: Path) -> Book:
    for name in BOOKS:
        book = folder / "books" / "collection-root" / USER / name
        book.mkdir(parents=True)
        (book / ".Radicale.props").write_text(json.dumps({"tag": "VADDRESSBOOK", "D:displayname": name}))
    for number in range(PEOPLE):
        (book.parent / book_of(number) / f"{number}.vcf").write_text(card(number), newline="")
    (folder / "passwords").write_text(f"{USER}:{PASSWORD}\n")
    settings = {
        "server-hosts": f"127.0.0.1:{free_port()}",
        "auth-type": "htpasswd",
        "auth-htpasswd-filename": str(folder / "passwords"),
        "auth-htpasswd-encryption": "plain",
        "auth-delay": "0",
        "storage-filesystem-folder": str(folder / "books"),
        "logging-level": "info",
    }
    options = [word for name, value in settings.items() for word in (f"--{name}", value)]
    return Book("-m", "radicale", "--config", "", *options, port="Listening on")


def xandikos(folder: Path) -> Book:
    return Book("-m", "tests.contacts.providers.xandikos_server", str(folder), port="Serving on")


def free_port() -> int:
    """Radicale does not choose one by itself."""
    with socket.create_server(("127.0.0.1", 0)) as there:
        return int(there.getsockname()[1])
