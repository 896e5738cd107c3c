"""Find text for people that is not in the catalogues: in templates by Jinja's own parser, in modules by Python's."""

import ast
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from jinja2 import Environment, nodes

_LETTER = re.compile(r"[^\W\d_]")
# Attributes that people read or hear.
_ATTRIBUTES = {"alt", "aria-label", "aria-description", "aria-roledescription", "content", "placeholder", "title", "label", "value"}
# Those of <meta> that people read.
_DESCRIPTIONS = {"description", "og:title", "og:description", "og:image:alt"}
# What a macro adds to an element.
_ADDED_ATTRIBUTES = re.compile(r"(?:\s*[a-z-]+=\"[^\"]*\")+\s*")
# What is the same in every language.
NAMES = {"RSS", "Atom", "Outlook", "Kalends", "API", "·", "UTC"}
# Elements whose text is not for people; the initials in a `face` are a drawing.
_SILENT = {"script", "style", "code", "kbd", "samp", "pre"}
# A sentence or a word with a capital, unlike names of fields, classes and values, and unlike the widths of a picture (`sizes`).
_SENTENCE = re.compile(r"^(?!\(max-width: )(?:[A-Z][a-zà-ü’']|.*[^\W\d_]\S* +\S*[^\W\d_])", re.DOTALL)
_PLACE = "\ue000"


def in_template(source: str) -> list[str]:
    """The literals of a template."""
    tree = Environment(autoescape=True).parse(source)
    return [*_in_markup(tree), *_in_expressions(tree)]


def _in_markup(tree: nodes.Template) -> list[str]:
    # Expressions become a character of private use, so that the markup around them stays whole; as the name of an element, `b`.
    pieces = [
        node.data if isinstance(node, nodes.TemplateData) else _PLACE for output in tree.find_all(nodes.Output) for node in output.nodes
    ]
    reader = _Reader()
    reader.feed(re.sub(f"(</?){_PLACE}", r"\1b", "".join(pieces)))
    reader.close()
    return reader.literals


def texts_of_page(html: str) -> list[str]:
    """What people read or hear of a page."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.literals


class _Reader(HTMLParser):
    """Collects text and the attributes that people read."""

    def __init__(self) -> None:
        super().__init__()
        self.literals: list[str] = []
        self._silent: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag in _SILENT or "face" in (values.get("class") or "").split():
            self._silent.append(tag)
        for name, value in attrs:
            if value and name in _ATTRIBUTES and not _is_for_programs(tag, name, values):
                self._add(value)

    def handle_endtag(self, tag: str) -> None:
        if self._silent and self._silent[-1] == tag:
            self._silent.pop()

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self._add(data)

    def _add(self, text: str) -> None:
        if _ADDED_ATTRIBUTES.fullmatch(text):
            return
        words = [word for word in text.replace(_PLACE, " ").split() if word.strip(".,:;()") not in NAMES]
        if any(_LETTER.search(word) for word in words):
            self.literals.append(" ".join(text.replace(_PLACE, "…").split()))


def _is_for_programs(tag: str, name: str, values: dict[str, str | None]) -> bool:
    """Whether an attribute that people may read is one that they do not."""
    if name == "value":
        return tag != "input" or values.get("type") not in ("submit", "reset", "button")
    return name == "content" and (values.get("name") or values.get("property")) not in _DESCRIPTIONS


def _in_expressions(tree: nodes.Template) -> Iterator[str]:
    """Sentences in expressions that are not the msgid of a message."""
    messages = {
        id(const)
        for call in tree.find_all(nodes.Call)
        if isinstance(call.node, nodes.Name) and call.node.name in ("_", "gettext", "ngettext", "pgettext")
        for const in call.args
    }
    for const in tree.find_all(nodes.Const):
        if isinstance(const.value, str) and id(const) not in messages and const.value not in NAMES and _SENTENCE.search(const.value):
            yield const.value


def in_module(path: Path) -> list[str]:
    """Sentences that a module gives to errors, titles of pages and forms without gettext."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    return [ast.unparse(text) for call in calls for text in _literals_for_people(call) if _is_text(text)]


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != "")


def _literals_for_people(call: ast.Call) -> Iterator[ast.expr]:
    """The arguments of a call that people read."""
    name = ast.unparse(call.func)
    if name == "render":
        yield from (keyword.value for keyword in call.keywords if keyword.arg == "title")
    elif name.endswith(("errors.invalid", "FieldError")) or name == "invalid":
        yield from call.args[1:2]
    elif re.fullmatch(r"errors\.[A-Z]\w+", name):
        yield from call.args[:1]
