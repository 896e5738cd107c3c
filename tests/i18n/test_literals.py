"""Every string for people is in the catalogues: a literal in a template or a message fails."""

from pathlib import Path

import pytest

from tests.i18n.extraction import ROOT, TEMPLATES
from tests.i18n.literals import in_module, in_template

# Modules and folders whose messages are in the catalogues.
CONVERTED = """
    account comments events/form_pages.py events/location.py events/repeat_form.py events/responses_pages.py events/span.py policy
    questions/answer_form.py questions/answers.py responses sessions users
    """.split()
# The API reference is written in English, for developers.
FOR_DEVELOPERS = {"reference/docs.html", "reference/errors.html", "reference/guide.html", "reference/operation.html"}


def test_templates_have_no_literals() -> None:
    literals = {str(path.relative_to(TEMPLATES)): in_template(path.read_text()) for path in TEMPLATES.rglob("*.html")}
    assert {name: found for name, found in literals.items() if found and name not in FOR_DEVELOPERS} == {}


def test_modules_have_no_literals() -> None:
    paths = [path for name in CONVERTED for path in (sorted((ROOT / "kalends" / name).glob("*.py")) or [ROOT / "kalends" / name])]
    assert {str(path.relative_to(ROOT)): found for path in paths if (found := in_module(path))} == {}


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
