"""A public event as search engines read it: an Event of schema.org, in JSON-LD."""

from typing import Any

from kalends.features.events.model import EventDetail

# What a price says that is none, in the languages of the service.
FREE = {"0", "free", "frei", "kostenlos", "gratuit", "gratis", "gratuito", "grátis", "無料", "مجاني"}
STATUS = {"planned": "EventScheduled", "cancelled": "EventCancelled", "postponed": "EventPostponed"}
ADDRESS = {"street": "streetAddress", "city": "addressLocality", "state": "addressRegion", "zip": "postalCode", "country": "addressCountry"}


def build(event: EventDetail, share_picture_url: str) -> dict[str, Any]:
    """The event with its status. A postponed one keeps its old date, as schema.org wants it."""
    values = {
        "@context": "https://schema.org",
        "@type": "Event",
        "name": event.title,
        "startDate": event.start_time,
        "endDate": event.end_time,
        "eventStatus": f"https://schema.org/{STATUS[event.status]}",
        "eventAttendanceMode": f"https://schema.org/{_attendance_mode(event)}EventAttendanceMode",
        "description": event.description,
        "image": [url for url in (event.image_url, share_picture_url) if url],
        "location": _build_places(event),
        "organizer": {"@type": "Person", "name": event.owner.name} | _link_calendar(event),
        "offers": _build_offer(event),
        "isAccessibleForFree": is_free(event.price),
        "url": event.url,
    }
    return {name: value for name, value in values.items() if value or value is False}


def _build_offer(event: EventDetail) -> dict[str, str]:
    """Whether there are places, and what they cost. A price in words has no number that a search engine could read, unless it is free."""
    is_full = event.places is not None and not event.places.free
    offer = {"@type": "Offer", "url": event.ticket_url or event.url}
    price = {"description": event.price} if event.price else {}
    free = {"price": "0"} if is_free(event.price) else {}
    return offer | price | free | {"availability": f"https://schema.org/{'SoldOut' if is_full else 'InStock'}"}


def is_free(price: str | None) -> bool | None:
    """Whether it costs nothing; None if nothing is said of the price."""
    return None if price is None else price.strip().casefold() in FREE


def _link_calendar(event: EventDetail) -> dict[str, str]:
    """The page of the organiser: that of the event's calendar, where guests can see one."""
    base = event.url.removesuffix(f"/events/{event.id}")
    return {"url": f"{base}/calendars/{event.calendars[0].id}"} if event.calendars else {}


def _attendance_mode(event: EventDetail) -> str:
    """How people take part: there, by a link, or both. Events whose place is the URL of a page are older than links."""
    if _is_page(event):
        return "Online"
    if not event.online:
        return "Offline"
    return "Mixed" if event.has_place else "Online"


def _is_page(event: EventDetail) -> bool:
    """Whether the location is the URL of a page."""
    return (event.location or "").startswith(("https://", "http://"))


def _build_places(event: EventDetail) -> dict[str, Any] | list[dict[str, Any]] | None:
    """The place, the link or both. A link that the reader must not know is the page of the event, which says how to get it."""
    online = {"@type": "VirtualLocation", "url": event.online_url or event.url} if event.online else None
    places = [place for place in (_build_place(event), online) if place]
    return places if len(places) > 1 else places[0] if places else None


def _build_place(event: EventDetail) -> dict[str, Any] | None:
    if not event.location and event.latitude is None:
        return None
    if _is_page(event):
        return {"@type": "VirtualLocation", "url": event.location}
    parts = {key: getattr(event, name) for name, key in ADDRESS.items() if getattr(event, name)}
    address = {"@type": "PostalAddress", **parts} if parts else event.location
    place: dict[str, Any] = {"@type": "Place", "name": event.location_name or event.location or event.title}
    place |= {"address": address} if address else {}
    if event.latitude is None:
        return place
    return place | {"geo": {"@type": "GeoCoordinates", "latitude": event.latitude, "longitude": event.longitude}}
