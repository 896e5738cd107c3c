"""The links of the navigation as HTML: a page has a dozen of them, and a macro takes ten times as long."""

from markupsafe import Markup


def draw_link(path: str, to: str, label: Markup, css_class: str = "") -> Markup:
    """A link in a list, marked if it leads to the path of the page."""
    kind = f' class="{css_class}"' if css_class else ""
    current = ' aria-current="page"' if path == to else ""
    return Markup(f'<li{kind}><a href="{to}"{current}>{label}</a></li>')  # noqa: S704 - all of it is ours, and a translated label is HTML
