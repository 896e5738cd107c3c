"""Every string for people is in the catalogues: a literal in a template or a message fails."""

from pathlib import Path

import pytest

from tests.i18n.extraction import ROOT, TEMPLATES
from tests.i18n.literals import in_module, in_template

# Templates whose strings are not in the catalogues yet.
UNCONVERTED = set(
    """
    account/delete.html account/key_created.html account/key_delete.html account/notices.html
    account/reset_password.html account/resume_form.html account/show.html account/sign_in.html account/sign_up.html
    account/sign_up_closed.html account/verify.html
    calendars/delete.html calendars/edit.html calendars/import.html calendars/imported.html calendars/index.html
    calendars/leave.html calendars/reset_feed.html
    comments/delete.html comments/parts.html
    contacts/delete.html contacts/delete_all.html contacts/import.html contacts/imported.html contacts/index.html
    contacts/uploaded.html
    deliveries/confirm.html deliveries/event.html deliveries/index.html deliveries/mail.html deliveries/news.html
    deliveries/stop.html deliveries/suppressions.html
    events/announce.html events/delete.html events/form.html events/history.html events/new_guest.html
    events/repetition.html events/responses.html events/show.html
    forms.html
    invitations/check.html invitations/index.html invitations/stop.html invitations/stopped.html
    messages/check.html messages/index.html
    questions/ask.html questions/delete.html questions/index.html questions/parts.html
    reminders/edit.html reminders/index.html
    responses/delete.html responses/edit.html responses/index.html
    subscribers/delete.html subscribers/index.html
    trash/index.html
    webhooks/delete.html webhooks/index.html webhooks/parts.html webhooks/secret.html webhooks/show.html
    """.split()
)
# The API reference is written in English, for developers.
FOR_DEVELOPERS = {"reference/docs.html", "reference/errors.html", "reference/guide.html", "reference/operation.html"}


def test_templates_have_no_literals() -> None:
    literals = {str(path.relative_to(TEMPLATES)): in_template(path.read_text()) for path in TEMPLATES.rglob("*.html")}
    assert {name: found for name, found in literals.items() if found and name not in UNCONVERTED | FOR_DEVELOPERS} == {}
    assert {name for name in UNCONVERTED if not literals.get(name)} == set(), "take it out of UNCONVERTED"


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
