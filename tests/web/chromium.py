"""Chromium, which comes from the system: where it is, in which packages, how it is started."""

import os
import shutil

from playwright.sync_api import Browser, Playwright

# The first is the same without a screen, and takes half the time. Where a system lacks it, the second does.
PACKAGES = ["chromium-headless-shell", "chromium"]
NAMES = [*PACKAGES, "chromium-browser", "google-chrome", "google-chrome-stable", "/Applications/Chromium.app/Contents/MacOS/Chromium"]
MISSING = "The browser tests need Chromium: install it (Debian: sudo apt-get install chromium), or set CHROMIUM to the path of one."

# It sends requests to the service alone: no variations, no updates, no safe browsing, no look-ups.
FLAGS = [
    *("--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--disable-dev-shm-usage", "--font-render-hinting=none"),
    # To optimise scripts takes longer than it saves on pages that live for a second.
    "--js-flags=--no-opt --no-maglev",
]

# A scan with axe-core measures a page thousands of times. Without a thread that composes frames, that takes less processor time; but
# to move the pointer to an element hangs then.
SCANNING_FLAGS = ["--disable-threaded-compositing"]


def path() -> str | None:
    """Where Chromium is, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


def launch(playwright: Playwright, *more_flags: str) -> Browser:
    # Chromium's sandbox refuses to be started by root.
    flags = [*FLAGS, *more_flags, *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    return playwright.chromium.launch(executable_path=path(), args=flags)
