"""Programs of the system that tests use: all of them are installed at once, where that is allowed.

`python -m tests.system_programs` installs all of them, and with names behind it these alone."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from tests.inbound import dovecot
from tests.serve import proxies
from tests.web import chromium

SKIPPED = "The tests with {program} are skipped: it is not installed (Debian: {package})."


class Program(NamedTuple):
    """A program that a test may need."""

    find: Callable[[], str | None]
    # The first is tried first.
    packages: list[str]
    missing: str


PROGRAMS = {
    "Chromium": Program(chromium.path, chromium.PACKAGES, chromium.MISSING),
    **{
        name: Program(partial(proxies.find, name), [package], SKIPPED.format(program=name, package=package))
        for name, package in (proxies.PACKAGES | {dovecot.PROGRAM: dovecot.PACKAGE}).items()
    },
}


def install(names: list[str]) -> None:
    """Install those that are not there; where that is not allowed, say how it is done, or that tests are skipped."""
    missing = {name: PROGRAMS[name] for name in names if PROGRAMS[name].find() is None}
    if missing and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"Installing {', '.join(missing)} …", flush=True)
        _apt("update")
        _apt_install(*(program.packages[0] for program in missing.values()))
        # Where the system lacks one of the packages, apt-get has installed none.
        for program in missing.values():
            for package in program.packages:
                if program.find() is None:
                    _apt_install(package)
    for program in missing.values():
        if program.find() is None:
            print(program.missing, file=sys.stderr)


def _apt_install(*packages: str) -> None:
    _apt("install", "-y", "--no-install-recommends", *packages)


def _apt(*words: str) -> None:
    # In run level 1, packages do not start the services that they install.
    quiet = {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    subprocess.run(["apt-get", *words], check=False, capture_output=True, env=os.environ | quiet)


if __name__ == "__main__":
    install(sys.argv[1:] or list(PROGRAMS))
