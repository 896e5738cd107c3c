"""Every string for people is in the catalogues: a literal in a template or a message fails."""

from pathlib import Path

import pytest

from tests.i18n.extraction import ROOT, TEMPLATES
from tests.i18n.literals import in_module, in_template

# Their messages are for programs and operators, and in English.
FOR_PROGRAMS = """
    cli/demo_data
    dav
    features/changes/journal_store.py
    features/changes/rules/cursor.py
    features/changes/steps/batch.py
    features/changes/stream_api.py
    features/contacts/api.py
    features/events/api.py
    features/events/imports/steps/file.py
    features/events/listing/store/conditions.py
    features/events/series/rules/request.py
    features/events/series/steps/copies.py
    features/events/steps/create.py
    features/health
    features/idempotency
    features/pictures/steps/share_picture.py
    features/reference
    features/users/steps/account_import.py
    http
    """.split()
# The API reference is written in English, for developers.
FOR_DEVELOPERS = {"reference/docs.html", "reference/errors.html", "reference/guide.html", "reference/operation.html"}


def test_templates_have_no_literals() -> None:
    literals = {str(path.relative_to(TEMPLATES)): in_template(path.read_text()) for path in TEMPLATES.rglob("*.html")}
    assert {name: texts for name, texts in literals.items() if texts and name not in FOR_DEVELOPERS} == {}


def test_modules_have_no_literals() -> None:
    by_module = {path.relative_to(ROOT / "kalends"): in_module(path) for path in (ROOT / "kalends").rglob("*.py")}
    assert {str(path): literals for path, literals in by_module.items() if literals and not _is_for_programs(path)} == {}


def _is_for_programs(path: Path) -> bool:
    return any(path.is_relative_to(name) for name in FOR_PROGRAMS)


@pytest.mark.parametrize(
    ("source", "literals"),
    [
        ("<p>Hello</p>", ["Hello"]),
        ('<p>{{ _("Hello") }}</p>', []),
        ('<img alt="A cat">', ["A cat"]),
        ('<a aria-label="More {{ about }}">{{ text }}</a>', ["More …"]),
        ('{{ button("save", "Save it") }}', ["Save it"]),
        ('{{ button("save", _("Save it")) }}{{ ngettext("1 cat", "%(num)s cats", n) }}', []),
        ('{{ button("cancel", pgettext("event", "Cancel")) }}', []),
        ('<a class="button quiet" href="/events/new">RSS</a> · {{ "a" if b else "c" }}', []),
        ('<meta name="description" content="Cats"><meta property="og:type" content="website">', ["Cats"]),
        ('{% macro described(id) %} aria-invalid="true" aria-describedby="{{ id }}-about"{% endmacro %}', []),
        ('<span class="face f1" aria-hidden="true">AB</span><span>Hello</span>', ["Hello"]),
        ('<{{ heading }} id="a">{{ text }} Hello</{{ heading }}>', ["… Hello"]),
        ('{{ picture(file, "(max-width: 40rem) 100vw, 40rem") }}', []),
        ("{% if a %}{{ a }} of {{ b }}{% endif %}", ["… of …"]),
    ],
)
def test_a_literal_in_a_template_is_found(source: str, literals: list[str]) -> None:
    assert in_template(source) == literals


def test_a_literal_in_a_module_is_found(tmp_path: Path) -> None:
    module = tmp_path / "pages.py"
    module.write_text(
        'render("a.html", ctx, title="Cats")\nraise errors.NotFound(f"No {cat}.")\nerrors.invalid("name", gettext("is bad"))\n'
    )
    assert in_module(module) == ["'Cats'", "f'No {cat}.'"]
    assert ROOT.exists()
