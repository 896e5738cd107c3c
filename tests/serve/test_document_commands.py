"""The commands of all documents: each exists with its options, those of the pages by role run, and what these call a button is one."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from kalends.cli import cli
from kalends.core.settings import Settings
from tests.client import Client
from tests.i18n.extraction import find_messages
from tests.serve.running import run
from tests.serve.test_documents import DOCUMENTS

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "tests" / "README.md"])
ROLES = ("club", "town", "family")


def commands_of(page: Path) -> Iterator[list[str]]:
    """The words of each command in the shell blocks of a page, without what is assigned before it."""
    for block in re.findall(r"```sh\n(.*?)```", page.read_text(), re.DOTALL):
        for line in re.sub(r"\\\n", " ", block).splitlines():
            for part in re.split(r"\s*(?:&&|\|\||\||;)\s*(?=[\w./])", line.partition(" #")[0]):
                words = _words(part)
                while words and re.match(r"\w+=", words[0]):
                    words.pop(0)
                if words and not words[0].startswith("#"):
                    yield words


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _kalends(page: Path) -> Iterator[list[str]]:
    for words in commands_of(page):
        if Path(words[0]).name == "kalends":
            yield words[1:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_every_command_of_kalends_has_the_options_that_a_page_gives_it(page: Path) -> None:
    for words in _kalends(page):
        command: click.Command = cli
        rest = list(words)
        while isinstance(command, click.Group) and rest and not rest[0].startswith("-"):
            name = rest.pop(0)
            assert name in command.commands, words
            command = command.commands[name]
        known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
        assert {word.partition("=")[0] for word in rest if re.match(r"--\w", word)} <= known, words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_every_make_target_and_module_of_a_page_is_there(page: Path) -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = page.read_text()
    assert set(re.findall(r"`make (\w+)", text)) | {words[1] for words in commands_of(page) if words[0] == "make"} <= targets
    for module in re.findall(r"python3? (?:-W \S+ )?-m ([\w.]+)", text):
        assert find_spec(module), module


@pytest.mark.on_one_database
@pytest.mark.parametrize("page", [page for page in PAGES if "curl " in page.read_text()], ids=lambda page: page.stem)
def test_every_request_of_a_page_that_is_not_run_has_an_endpoint(page: Path, client: Client) -> None:
    """Those of the others are sent as they stand (tests/serve/test_documents.py)."""
    paths = client.get("/api/openapi.json").json["paths"]
    if str(page.relative_to(ROOT)) not in DOCUMENTS:
        for words in commands_of(page):
            if words[0] == "curl":
                [url] = [word for word in words if word.startswith("http")]
                if "/api/" not in url:
                    continue
                path = re.sub(r"/\d+\b", "/{id}", url.partition("?")[0].removeprefix("http://").partition("/")[2])
                method = words[words.index("-X") + 1].lower() if "-X" in words else None
                found = [paths[each] for each in paths if re.sub(r"{\w+}", "{id}", each) == f"/{path}"]
                assert found, url
                assert method is None or method in found[0], (method, url)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_every_line_of_a_settings_file_is_a_setting(page: Path) -> None:
    for block in re.findall(r"```toml\n(.*?)```", page.read_text(), re.DOTALL):
        # A file of providers of accounts (KALENDS_OIDC) has tables.
        names = {name for name, value in tomllib.loads(block).items() if not isinstance(value, dict)}
        assert names <= set(Settings.__struct_fields__)


@pytest.mark.parametrize("role", ROLES)
def test_the_commands_of_a_page_by_role_run(role: str, tmp_path: Path) -> None:
    run("users", "create", "root", "root@example.org", "--password", "correct-horse-battery", folder=tmp_path)
    ran = 0
    for words in _kalends(ROOT / "docs" / f"{role}.md"):
        # What serves until it is stopped has tests of its own.
        if words[0] != "serve" and "--public" not in words:
            done = run(*words, folder=tmp_path, stdin="correct-horse-battery\n" * 2)
            # The mail server and the base URL of the machine on which this runs are not those of the page.
            assert done.returncode == 0 or words == ["doctor"], (words, done.stderr)
            ran += 1
    assert ran or role == "town"


@pytest.fixture(scope="module")
def shown() -> str:
    """The messages of all pages, without their markup."""
    messages = (message.id if isinstance(message.id, str) else message.id[0] for message in find_messages() if message.id)
    return "\n".join({re.sub(r"<[^>]+>", "", str(each)) for each in messages})


@pytest.mark.parametrize("role", ROLES)
def test_what_a_page_by_role_calls_by_its_name_is_on_the_pages(role: str, shown: str) -> None:
    text = (ROOT / "docs" / f"{role}.md").read_text()
    named = set(re.findall(r"\*\*([^*\n]+)\*\*|(?<!\*)\*([^*\n]+)\*(?!\*)", text))
    assert {name for pair in named for name in pair if name and name not in shown} == set()
