"""What must be true before a release: each check returns what is missing, nothing if all is well."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from kalends.core.version import __version__
from kalends.db.migrate import LAST_WITH_OLD_MIGRATIONS
from tests.i18n.extraction import TRANSLATIONS, find_messages, load, untranslated
from tests.release import artifacts
from tests.release.libraries import locked_libraries, unaccepted

ROOT = Path(__file__).parents[2]
DIST = ROOT / "dist"


def clean_tree() -> Iterator[str]:
    changed = _git("status", "--porcelain").splitlines()
    yield from (f"not committed: {line.strip()}" for line in changed)


def version() -> Iterator[str]:
    if ".dev" in __version__:
        yield f"kalends/core/version.py has a development version, {__version__}"
    heading = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    if heading is None or not re.fullmatch(rf"{re.escape(__version__)} \(\d{{4}}-\d\d-\d\d\)", heading[1]):
        yield f"CHANGELOG.md does not begin with “## {__version__} (date)”"
    if _run("git", "cat-file", "-e", f"{LAST_WITH_OLD_MIGRATIONS}^{{commit}}").returncode:
        yield f"the commit {LAST_WITH_OLD_MIGRATIONS}, which kalends/db/migrate.py names, is not in the repository"


def translations() -> Iterator[str]:
    template = find_messages()
    for language in TRANSLATIONS:
        catalog = load(language)
        catalog.update(template, no_fuzzy_matching=True)
        if missing := untranslated(catalog):
            yield f"{language}: {len(missing)} messages are not translated (make catalogs)"


def licences() -> Iterator[str]:
    libraries = locked_libraries(ROOT / "requirements.lock")
    yield from unaccepted(libraries)


def build_twice() -> Iterator[str]:
    """Build the release of the commit in two folders, compare, and keep one in dist."""
    made_at = artifacts.commit_time(ROOT, "HEAD")
    with tempfile.TemporaryDirectory(prefix="kalends-release-") as scratch:
        folders = [Path(scratch) / name for name in ("first", "second")]
        for folder in folders:
            artifacts.unpack_commit(ROOT, "HEAD", folder / "checkout")
            artifacts.build(folder / "checkout", __version__, folder / "dist", made_at)
        sums = [(folder / "dist" / artifacts.SUMS).read_text() for folder in folders]
        if sums[0] != sums[1]:
            yield f"two builds have different checksums: {sums[0]} and {sums[1]}"
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.copytree(folders[0] / "dist", DIST)
    print(sums[0], end="")


def image_context() -> Iterator[str]:
    """The image is built from files of the commit that its recipe copies, and has the wheel of the release; no engine is needed."""
    with tempfile.TemporaryDirectory(prefix="kalends-image-") as scratch:
        checkout, context = Path(scratch) / "checkout", Path(scratch) / "context"
        artifacts.unpack_commit(ROOT, "HEAD", checkout)
        context.mkdir()
        for source in artifacts.image_context(ROOT):
            if not (checkout / source).exists():
                yield f"{source}, which the recipe of the image copies, is not in the commit"
                return
            (checkout / source).rename(context / source)
        artifacts.build_package("wheel", context, Path(scratch), artifacts.commit_time(ROOT, "HEAD"))
        [wheel] = Path(scratch).glob("*.whl")
        if not (DIST / wheel.name).exists() or wheel.read_bytes() != (DIST / wheel.name).read_bytes():
            yield "the wheel of the image differs from that of the release in dist"


def make(*arguments: str) -> Iterator[str]:
    if _run("make", *arguments, quiet=False).returncode:
        yield f"make {' '.join(arguments)} fails"


def _git(*arguments: str) -> str:
    return _run("git", *arguments).stdout


def _run(*command: str, quiet: bool = True) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, cwd=ROOT, capture_output=quiet, text=True, check=False)
