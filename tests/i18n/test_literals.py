"""Every string for people is in the catalogues: a literal in a template or a message fails."""

from pathlib import Path

import pytest

from tests.i18n.extraction import ROOT, TEMPLATES
from tests.i18n.literals import in_module, in_template

# Their messages are for programs and operators, and in English.
FOR_PROGRAMS = """
    changes/batch.py changes/stream.py contacts/api.py context.py dav demo events/api.py events/conditions.py events/create_batch.py
    events/imports/file.py events/series/copies.py events/series/request.py
    health http idempotency journal pictures/share_picture.py reference
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
        ('<a class="button quiet" href="/events/new">RSS</a> · {{ "a" if b else "c" }}', []),
        ('<meta name="description" content="Cats"><meta property="og:type" content="website">', ["Cats"]),
        ('{% macro described(id) %} aria-invalid="true" aria-describedby="{{ id }}-about"{% endmacro %}', []),
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
