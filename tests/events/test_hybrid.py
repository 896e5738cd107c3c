"""What a page and a file say of an event that takes place somewhere and online, and that costs something."""

import json

from tests.cast import Cast, an_event

FIELDS = {
    **{"online_url": "https://call.example.org/room", "online_for": "everyone", "location_name": "Hall", "city": "Paris"},
    **{"latitude": 48.8583, "longitude": 2.2945, "price": "12 €", "ticket_url": "https://tickets.example.org/"},
}


def test_the_page_has_the_map_links_and_describes_both_ways_to_take_part(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, **FIELDS)
    page = cast.anonymous.get(f"/events/{event['id']}").text
    assert 'href="geo:48.8583,2.2945"' in page
    assert "https://www.openstreetmap.org/?mlat=48.8583&amp;mlon=2.2945" in page
    data = json.loads(page.partition('<script type="application/ld+json">')[2].partition("</script>")[0])
    assert data["eventAttendanceMode"] == "https://schema.org/MixedEventAttendanceMode"
    assert {each["@type"] for each in data["location"]} == {"Place", "VirtualLocation"}
    assert data["offers"]["url"] == FIELDS["ticket_url"]
    assert data["isAccessibleForFree"] is False


def test_the_file_has_coordinates_and_the_link(cast: Cast) -> None:
    event = an_event(cast.alice, public=True, **FIELDS)
    file = cast.anonymous.get(f"/api/events/{event['id']}.ics").text
    assert "\r\nGEO:48.858300;2.294500\r\n" in file
    assert "\r\nCONFERENCE;VALUE=URI:https://call.example.org/room\r\n" in file
