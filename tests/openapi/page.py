"""An HTML page as a tree, parsed strictly: every element is closed, in order."""

from collections.abc import Iterator
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Element:
    """An element: its tag, attributes and children."""

    def __init__(self, tag: str, attributes: dict[str, str | None]):
        self.tag = tag
        self.attributes = attributes
        self.inside: list[Element | str] = []

    def walk(self) -> "Iterator[Element]":
        yield self
        for child in self.inside:
            if isinstance(child, Element):
                yield from child.walk()

    def all(self, tag: str) -> "list[Element]":
        return [element for element in self.walk() if element.tag == tag]

    @property
    def text(self) -> str:
        return " ".join("".join(child if isinstance(child, str) else child.text for child in self.inside).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("", {})]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs))
        assert len(element.attributes) == len(attrs), f"<{tag}> has an attribute twice"
        self.open[-1].inside.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop().tag == tag, f"</{tag}> closes something else, at {self.getpos()}"

    def handle_data(self, data: str) -> None:
        self.open[-1].inside.append(data)


def read(html: str) -> Element:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    (root,) = reader.open
    return root
