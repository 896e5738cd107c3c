"""`make audit`: ask over the network what may have changed since the commit: whether the libraries that the service is installed with have
known weaknesses (pip-audit), and whether the pages of others that the documents link to are still there.

Without a network it says so and does not fail."""

import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements.lock"
TIMEOUT = 300
LINK_SECONDS = 20
# Loopback, and names of examples (RFC 2606).
_NOWHERE = re.compile(r"//(127\.0\.0\.1|localhost|[\w.-]*example\.(org|com|net))\b")


def main() -> int:
    """Ask both, and fail if there is a weakness or a dead link."""
    return 1 if _count_weaknesses() + _count_dead_links() else 0


def _count_weaknesses() -> int:
    """Name each known vulnerability."""
    with tempfile.TemporaryDirectory(prefix="kalends-audit-") as folder:
        output = _run_pip_audit(Path(folder))
    try:
        libraries = json.loads(output)["dependencies"]
    except ValueError:
        print("The known vulnerabilities could not be looked up: pip-audit could not be installed, or has no network.")
        return 0
    weak = [(library, weakness) for library in libraries for weakness in library.get("vulns", [])]
    for library, weakness in weak:
        mended = ", ".join(weakness["fix_versions"]) or "no version yet"
        print(f"{library['name']} {library['version']}: {weakness['id']}, mended in {mended}")
    print(f"{len(libraries)} libraries, {len(weak)} known weaknesses.")
    return len(weak)


def _run_pip_audit(folder: Path) -> str:
    """The output of pip-audit for the lock file, or nothing. It has its own environment, since it needs other library versions."""
    python = folder / "bin" / "python"
    steps = [
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pip-audit"],
        [str(python), "-m", "pip_audit", "--require-hashes", "--disable-pip", "--progress-spinner=off", "-f", "json", "-r", str(LOCK)],
    ]
    output = ""
    for step in steps:
        try:
            output = subprocess.run(step, capture_output=True, text=True, timeout=TIMEOUT).stdout
        except (OSError, subprocess.TimeoutExpired):
            return ""
    return output


def _count_dead_links() -> int:
    """Name each link whose site replies that the page is not there. The links within the documents are checked by the tests."""
    links = list(_outside_links())
    statuses = {url: _status(url) for url in links}
    unreachable = [url for url, status in statuses.items() if status is None]
    # Pages for people who are signed in, or for browsers alone, are there.
    dead = [url for url, status in statuses.items() if status and status >= 400 and status not in (401, 403, 405, 429)]
    for url in dead:
        print(f"{url}: status {statuses[url]}")
    for url in unreachable:
        print(f"{url}: could not be reached")
    print(f"{len(links)} links to other sites, {len(dead)} dead, {len(unreachable)} not checked.")
    return len(dead)


def _outside_links() -> Iterator[str]:
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    links = {url for file in documents for url in re.findall(r"(?:\]\(|<)(https?://[^)>\s]+)[)>]", file.read_text())}
    yield from sorted(url for url in links if not _NOWHERE.search(url))


def _status(url: str) -> int | None:
    """The status of the page; None: its site could not be reached."""
    try:
        with urlopen(Request(url, headers={"User-Agent": "Mozilla/5.0"}), timeout=LINK_SECONDS) as reply:  # noqa: S310 - http and https alone
            return int(reply.status)
    except HTTPError as error:
        return error.code
    except OSError:
        return None


if __name__ == "__main__":
    sys.exit(main())
