"""Parse XML of other programs within bounds."""

from typing import NoReturn
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

MAX_LEVELS = 32


class InvalidXml(ValueError):
    """The body is not XML, or more of it than is read. The message is for people."""


def parse(body: bytes, max_tags: int) -> Element:
    """The root of the body. Document types, and so declarations of entities, are refused.

    max_tags: parsed elements take far more memory than their bytes."""
    # In every encoding that expat reads, a tag begins with this byte.
    if body.count(b"<") > max_tags:
        raise InvalidXml("The body has too many elements.")
    builder = TreeBuilder()

    def start(tag: str, attributes: dict[str, str]) -> None:
        builder.start(_clark(tag), {_clark(name): value for name, value in attributes.items()} if attributes else attributes)

    # The parsers of ElementTree either take twice as long, or go on after a document type was refused.
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse
    parser.StartElementHandler = start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(body, True)
    except (expat.ExpatError, ValueError, LookupError):
        raise InvalidXml("The body is not valid XML.") from None
    root = builder.close()
    _limit_levels(root)
    return root


def _clark(name: str) -> str:
    """A name of expat in Clark notation."""
    return f"{{{name}" if "}" in name else name


def _refuse(*_: object) -> NoReturn:
    raise InvalidXml("The body is not valid XML.")


def _limit_levels(root: Element) -> None:
    level = [root]
    for _ in range(MAX_LEVELS):
        level = [child for element in level for child in element]
        if not level:
            return
    raise InvalidXml("The body has too many levels.")
