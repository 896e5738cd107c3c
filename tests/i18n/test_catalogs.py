"""What is translated has the placeholders and the markup of the source. A message may be untranslated until a release."""

import re

import pytest
from babel.messages.catalog import Message

from kalends.core.i18n.catalogs import LANGUAGES, load_catalog
from tests.i18n.extraction import TRANSLATIONS, find_messages, load, translations

_PLACEHOLDER = re.compile(r"%(?:\((\w+)\)s|.)?")
_MARKUP = re.compile(r"<[^>]*>|&\w+;|\"")


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_translations_are_certain_and_have_the_placeholders_and_the_markup_of_the_source(language: str) -> None:
    catalog = load(language)
    assert [message.id for message in catalog if message.id and message.fuzzy] == []
    assert [problem for message in catalog if message.id for problem in _problems(message)] == []


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_a_catalogue_has_as_many_forms_of_a_plural_as_its_language(language: str) -> None:
    catalog = load(language)
    assert [message.id for message in catalog if message.pluralizable and len(translations(message)) != catalog.num_plurals] == []
    assert {load_catalog(language).form(number) for number in (*range(1_001), 10_000, 1_000_000)} <= set(range(catalog.num_plurals))


def test_messages_have_named_placeholders_only() -> None:
    broken = [text for message in find_messages() for text in _sources(message) if None in _placeholders(text)]
    assert broken == []


def test_wrong_translations_are_found() -> None:
    assert _problems(Message("%(name)s left", "%(nam)s ist gegangen"))
    assert _problems(Message("<b>Stop</b>", "<i>Halt</i>"))
    assert _problems(Message("Say it", 'Sag "es"'))
    assert _problems(Message(("1 cat", "%(num)s cats"), ("%(num)s Katze", "Katzen")))
    assert not _problems(Message(("1 cat", "%(num)s cats"), ("1 Katze", "%(num)s Katzen")))
    assert not _problems(Message("100 %", "100 %"))


def test_every_language_has_a_catalogue() -> None:
    assert set(TRANSLATIONS) == set(LANGUAGES) - {"en"}
    assert all(load(language).locale_identifier == language for language in TRANSLATIONS)


def _problems(message: Message) -> list[str]:
    """What is wrong with a translation; nothing if there is none yet."""
    problems = []
    for number, form in enumerate(translations(message)):
        source = _sources(message)[-1]
        if form and _markup(form) != _markup(source):
            problems.append(f"{form}: the markup is another than in {source}")
        allowed = _placeholders(source)
        is_wrong = not _placeholders(form) <= allowed if message.pluralizable else _placeholders(form) != allowed
        is_without_number = message.pluralizable and number == len(translations(message)) - 1 and _placeholders(form) != allowed
        if form and (is_wrong or is_without_number):
            problems.append(f"{form}: the placeholders are others than in {source}")
    return problems


def _sources(message: Message) -> list[str]:
    return [message.id] if isinstance(message.id, str) else list(message.id)


def _placeholders(text: str) -> set[str | None]:
    """The names of placeholders; None for a broken one. A text without any may have a percent sign."""
    matches = [match for match in _PLACEHOLDER.finditer(text) if match[0] != "%%"]
    named = {match[1] for match in matches}
    return named if named - {None} else set()


def _markup(text: str) -> list[str]:
    return sorted(_MARKUP.findall(text))
