"""What an event has that not everybody may know who sees it: the link to an online event, and the exact place.

It is kept apart from what everybody may know, as one text, so that a list, a search or a file cannot tell it by mistake."""

from typing import Any, Literal

from msgspec import json

# Who may know it: everybody who sees the event, those who come, or the members of its calendars. Editors know all of it.
Audience = Literal["everyone", "going", "members"]
PLACE = ("location", "location_name", "street", "city", "state", "zip", "country", "latitude", "longitude")
# What everybody may know of a place.
_AREA = ("city", "state", "country")


def split(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns of a whole event as they are stored, with what is withheld as a text of its own."""
    public, withheld = dict(columns), dict[str, Any]()
    if columns["online_for"] != "everyone" and columns["online_url"]:
        withheld["online_url"], public["online_url"] = columns["online_url"], None
    exact = {name: columns[name] for name in PLACE if columns[name] is not None}
    if columns["place_for"] != "everyone" and exact:
        withheld |= exact
        area = {name: columns[name] for name in _AREA}
        line = ", ".join(filter(None, (area["city"], area["state"], area["country"]))) or None
        public |= dict.fromkeys(PLACE) | area | {"location": line}
    return public | {"withheld": json.encode(withheld).decode() if withheld else None}


def decode(text: str | None) -> dict[str, Any]:
    """The columns of what is withheld; those of the place are there all or not at all."""
    values: dict[str, Any] = json.decode(text) if text else {}
    online = {"online_url": values["online_url"]} if "online_url" in values else {}
    place = {name: values.get(name) for name in PLACE} if values.keys() & set(PLACE) else {}
    return online | place
