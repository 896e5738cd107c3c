"""A public event as search engines read it: an Event of schema.org, in JSON-LD."""

from typing import Any

from kalends.features.events.model import EventDetail

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
        "eventAttendanceMode": f"https://schema.org/{'Online' if _is_online(event) else 'Offline'}EventAttendanceMode",
        "description": event.description,
        "image": [url for url in (event.image_url, share_picture_url) if url],
        "location": _build_place(event),
        "organizer": {"@type": "Person", "name": event.owner.name} | _link_calendar(event),
        "offers": _build_offer(event),
        "url": event.url,
    }
    return {name: value for name, value in values.items() if value}


def _build_offer(event: EventDetail) -> dict[str, str]:
    """Whether there are places. What they cost is not known, so no price is named."""
    is_full = event.places is not None and not event.places.free
    return {"@type": "Offer", "url": event.url, "availability": f"https://schema.org/{'SoldOut' if is_full else 'InStock'}"}


def _link_calendar(event: EventDetail) -> dict[str, str]:
    """The page of the organiser: that of the event's calendar, where guests can see one."""
    base = event.url.removesuffix(f"/events/{event.id}")
    return {"url": f"{base}/calendars/{event.calendars[0].id}"} if event.calendars else {}


def _is_online(event: EventDetail) -> bool:
    """Whether the location is the URL of a page."""
    return (event.location or "").startswith(("https://", "http://"))


def _build_place(event: EventDetail) -> dict[str, Any] | None:
    if not event.location:
        return None
    if _is_online(event):
        return {"@type": "VirtualLocation", "url": event.location}
    parts = {key: getattr(event, name) for name, key in ADDRESS.items() if getattr(event, name)}
    address = {"@type": "PostalAddress", **parts} if parts else event.location
    return {"@type": "Place", "name": event.location_name or event.location, "address": address}
