"""Find the messages in the code, write the new ones into the catalogues, and print what is not translated: `make catalogs` runs this."""

from collections.abc import Iterable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

from kalends.core.i18n.catalogs import LANGUAGES

ROOT = Path(__file__).parent.parent.parent
TEMPLATES = ROOT / "kalends" / "web" / "templates"
TRANSLATIONS = [language for language in LANGUAGES if language != "en"]
KEYWORDS = {"_": None, "gettext": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}
OPTIONS = {"trim_blocks": "true", "lstrip_blocks": "true", "silent": "false"}
HEADER = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n"Language: {}\\n"\n"Plural-Forms: {}\\n"\n\n'


def main() -> None:
    """Add the new messages to every catalogue, take out those that are gone, and print the number that is not translated."""
    template = find_messages()
    for language in TRANSLATIONS:
        catalog = load(language)
        # A similar message is no translation.
        catalog.update(template, no_fuzzy_matching=True)
        save(language, catalog)
        if missing := untranslated(catalog):
            print(f"{language}: {len(missing)} of {len(catalog)} messages are not translated")


def untranslated(catalog: Catalog) -> list[str]:
    """The messages of a catalogue that readers of its language see in English."""
    return [str(message.id) for message in catalog if message.id and not all(translations(message))]


def translations(message: Message) -> list[str]:
    """The translation of a message: of a plural, its forms."""
    return [message.string] if isinstance(message.string, str) else list(message.string or [""])


@cache
def find_messages() -> Catalog:
    """The messages of all templates and modules."""
    catalog = Catalog(charset="utf-8")
    for path, messages in _extracted():
        for _, message, comments, context in messages:
            catalog.add(message, None, [(str(path.relative_to(ROOT)), 1)], auto_comments=comments, context=context)
    return catalog


def path_of(language: str) -> Path:
    return ROOT / "kalends" / "core" / "i18n" / language / "LC_MESSAGES" / "kalends.po"


def load(language: str) -> Catalog:
    path = path_of(language)
    return read_po(BytesIO(path.read_bytes() if path.exists() else b""), locale=language, charset="utf-8")


def save(language: str, catalog: Catalog) -> None:
    """Sorted and without the places in the code, so that changes of different messages do not conflict."""
    file = BytesIO()
    write_po(file, catalog, width=0, omit_header=True, sort_output=True, ignore_obsolete=True, include_lineno=False, no_location=True)
    path_of(language).parent.mkdir(parents=True, exist_ok=True)
    path_of(language).write_bytes(HEADER.format(language, catalog.plural_forms).encode() + file.getvalue())


def _extracted() -> Iterator[tuple[Path, Iterable[Any]]]:
    for path in sorted((ROOT / "kalends").rglob("*.py")):
        content = path.read_bytes()
        # Two modules of three have none: to read the tokens of all takes three seconds more.
        if any(f"{keyword}(".encode() in content for keyword in KEYWORDS):
            yield path, list(extract("python", BytesIO(content), KEYWORDS))
    for path in sorted(each for each in TEMPLATES.rglob("*") if each.is_file()):
        with path.open("rb") as file:
            yield path, list(extract(cast(Any, babel_extract), file, KEYWORDS, options=OPTIONS))


if __name__ == "__main__":
    main()
