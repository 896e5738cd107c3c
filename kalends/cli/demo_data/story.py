"""The data of `kalends demo`: the events that Ana publishes, their guests and comments. Days count from today."""

from typing import Any

from msgspec import Struct

# Nobody reads mail about the example.
QUIET = {"time_zone": "Europe/Paris", "response_notices": "off"}
PROFILE = {"user_name": "demo", "email_address": "demo@example.org", "name": "Ana Souza"} | QUIET

# How a new site introduces itself, until its administrator changes that.
SITE = {
    "headline": "What’s on in Paris",
    "tagline": "Concerts, runs, films and soup by people who live here. No account needed to join in.",
    "time_zone": "Europe/Paris",
}

# Her primary calendar is created with her account.
CALENDARS: dict[str, dict[str, Any]] = {
    "jazz": {
        "name": "Jazz in town",
        "color": "#b3261e",
        "public": True,
        "description": "Concerts, sessions and films about the music, picked by hand.",
    },
    "runners": {
        "name": "Canal runners",
        "color": "#0b6b3a",
        "public": True,
        "description": "We run along the water, at a pace at which one can talk.",
    },
}

# Other organisers, with the calendar of each. They have the password of Ana.
ORGANISERS: list[tuple[dict[str, str], dict[str, Any]]] = [
    (
        {"user_name": "noor", "email_address": "noor@example.org", "name": "Noor Haddad"} | QUIET,
        {
            "name": "Kitchen and garden",
            "color": "#7a4b00",
            "public": True,
            "description": "We cook what grows next door. Beginners are welcome, and so are those who only eat.",
        },
    ),
    (
        {"user_name": "theo", "email_address": "theo@example.org", "name": "Théo Lindqvist"} | QUIET,
        {
            "name": "The small cinema",
            "color": "#3b3f8f",
            "public": True,
            "description": "Forty seats, one projector, and someone who says a few words before the film.",
        },
    ),
]

CLUB = "Le Sextant, 60 rue des Lombards, 75001 Paris, France"
CELLAR = "Cave Saint-Just, 5 rue de la Huchette, 75005 Paris, France"
HALL = "Salle Garance, 1 place du Châtelet, 75001 Paris, France"
LIBRARY = "Médiathèque musicale, 8 porte Saint-Eustache, 75001 Paris, France"
CANAL = "Canal Saint-Martin, Quai de Valmy, 75010 Paris, France"
PARK = "Parc de la Villette, 211 avenue Jean Jaurès, 75019 Paris, France"
NEW_YORK = "The Lantern, 178 7th Ave S, New York, NY 10014, USA"


GARDEN = "Jardin partagé, 22 rue des Récollets, 75010 Paris, France"
CINEMA = "Le Petit Écran, 9 rue Sainte-Marthe, 75010 Paris, France"


class DemoEvent(Struct, frozen=True):
    """An event. `at` is its local start, None for an all-day event; `lasts` counts hours, or days of an all-day event."""

    calendar: str
    title: str
    day: int
    at: str | None
    lasts: float
    place: str = ""
    tags: str = ""
    response_count: int = 0
    zone: str = "Europe/Paris"


EVENTS = [
    DemoEvent("jazz", "Blue Hour Quartet", 2, "20:30", 2.5, CLUB, "jazz, live, saxophone", 14),
    DemoEvent("jazz", "Open stage", -14, "19:00", 3, CELLAR, "jazz, session", 9),
    DemoEvent("jazz", "Record fair", 5, None, 2, LIBRARY, "jazz, records, market", 6),
    DemoEvent("jazz", "Film night: trumpets in the rain", 3, "18:00", 1.5, LIBRARY, "film", 4),
    DemoEvent("jazz", "Salomé Vidal sings", 9, "20:00", 2, HALL, "jazz, live, voice", 11),
    DemoEvent("jazz", "Big band night from New York", 1, "20:00", 2, NEW_YORK, "jazz, big band, stream", 5, "America/New_York"),
    DemoEvent("jazz", "Shinjuku record bar on air", 6, "21:00", 1, "", "radio, stream", 0, "Asia/Tokyo"),
    DemoEvent("jazz", "Concert for small ears", 8, "16:00", 1, LIBRARY, "children, live", 7),
    DemoEvent("jazz", "Late session", 3, "23:30", 3, CELLAR, "jazz, session"),
    DemoEvent("jazz", "Bebop workshop", 12, "14:00", 3, LIBRARY, "workshop", 3),
    DemoEvent("jazz", "Trio in the park", 16, "17:00", 3, PARK, "jazz, live, outside, free", 8),
    DemoEvent("jazz", "Festival on the quays", 20, None, 4, CANAL, "festival, outside, free", 12),
    DemoEvent("jazz", "Talk: what is swing?", -3, "19:00", 1.5, LIBRARY, "talk", 5),
    DemoEvent("jazz", "Manouche guitars", -9, "20:30", 3, CELLAR, "jazz, live, guitar", 10),
    DemoEvent("jazz", "Listening evening: harps", -6, "19:30", 2, LIBRARY, "records", 4),
    DemoEvent("jazz", "Big band rehearsal, open doors", 13, "19:00", 2.5, HALL, "big band, free", 2),
    DemoEvent("jazz", "New Orleans brunch", 15, "11:30", 2.5, CELLAR, "brunch, live", 6),
    DemoEvent("jazz", "Harbour jazz", 27, "19:00", 3, "Fischmarkt, 22767 Hamburg, Germany", "jazz, outside", 3, "Europe/Berlin"),
    DemoEvent("runners", "Evening run", -13, "18:45", 1.25, CANAL, "run, easy", 8),
    DemoEvent("runners", "Long run", -8, "09:00", 2, PARK, "run, long", 5),
    DemoEvent("runners", "Members' breakfast", -4, "10:30", 1.5, "Le Comptoir, 12 rue de Marseille, 75010 Paris, France", "food", 6),
    DemoEvent("runners", "First aid for runners", 4, "19:00", 2, PARK, "course", 4),
    DemoEvent("runners", "Half marathon", 22, "08:30", 3, PARK, "race", 9),
    DemoEvent("runners", "Weekend by the sea", 29, None, 3, "Étretat, France", "travel", 5),
    DemoEvent("runners", "Shoe swap", 7, "18:00", 1, CANAL, "market, free", 3),
    DemoEvent("runners", "Track intervals", 10, "18:30", 1, PARK, "run, fast", 2),
    DemoEvent("runners", "Night run with lamps", 14, "21:30", 1.25, CANAL, "run, easy", 7),
    DemoEvent("runners", "Photos of the last race", -11, "19:00", 1, LIBRARY, "talk", 3),
    DemoEvent("own", "Dentist", 1, "09:00", 0.5, "14 rue Oberkampf, 75011 Paris, France"),
    DemoEvent("own", "Lunch with Émile", 2, "12:30", 1.5, "Le Perchoir, 47 rue de Bretagne, 75003 Paris, France", "friends"),
    DemoEvent("own", "Piano lesson", -12, "17:30", 1, "", "music"),
    DemoEvent("own", "Tax return is due", 11, None, 1, "", "paper"),
    DemoEvent("own", "Mum's birthday", 18, None, 1, "", "family"),
    DemoEvent("own", "Holiday in Lisbon", 34, None, 9, "Lisboa, Portugal", "travel", 0, "Europe/Lisbon"),
    DemoEvent("own", "Flight to Lisbon", 34, "07:10", 2.5, "Aéroport de Paris-Orly, 94390 Orly, France", "travel"),
    DemoEvent("own", "Call with the New York office", 3, "10:00", 1, "", "work", 0, "America/New_York"),
    DemoEvent("own", "Quarterly review", 6, "14:00", 2, "", "work"),
    DemoEvent("own", "Plumber", 0, "16:00", 1, "", "house"),
    DemoEvent("own", "Parents are visiting", 8, None, 3, "", "family"),
    DemoEvent("own", "Theatre with Noor", -2, "20:00", 2.5, "Petit Odéon, 2 rue Corneille, 75006 Paris, France", "friends"),
]

# What the other organisers publish; the calendar is the user name.
OTHER_EVENTS = [
    DemoEvent("noor", "Bread from a wood oven", 4, "10:00", 3, GARDEN, "food, workshop", 8),
    DemoEvent("noor", "Soup for everyone", 1, "18:30", 2, GARDEN, "food, free", 11),
    DemoEvent("noor", "Pruning the apple trees", 10, "14:00", 2.5, GARDEN, "garden, outside, free", 5),
    DemoEvent("noor", "Seed swap", 17, "11:00", 4, GARDEN, "garden, market, free", 6),
    DemoEvent("noor", "Dinner from one field", 24, "19:30", 3, GARDEN, "food", 9),
    DemoEvent("theo", "Silent film with piano", 2, "20:00", 2, CINEMA, "film, live", 12),
    DemoEvent("theo", "Short films of the quarter", 7, "19:00", 2.5, CINEMA, "film, free", 7),
    DemoEvent("theo", "Animated afternoon", 11, "15:00", 1.5, CINEMA, "film, children", 4),
    DemoEvent("theo", "Night of the lighthouses", 19, "21:00", 2, CINEMA, "film", 10),
    DemoEvent("theo", "How a projector works", 26, "18:00", 1.5, CINEMA, "talk, workshop", 3),
]

# The events of Ana that have a poster, and what it shows; those of the others have one, too.
POSTERS = (
    "Blue Hour Quartet",
    "Record fair",
    "Salomé Vidal sings",
    "Big band night from New York",
    "Concert for small ears",
    "Festival on the quays",
    "Open stage",
    "Evening run",
    "Half marathon",
    "Night run with lamps",
)
POSTER_TEXT = "An abstract poster in a few bright colours"

DESCRIPTIONS = {
    "Blue Hour Quartet": "Two sets with a break at half past nine.\n\nDoors open at eight. There is a cloak room, and soup.",
    "Open stage": "Bring your instrument, or just your ears. A piano, a bass and drums are there.",
    "Record fair": "Forty tables of vinyl. Swaps are welcome on the second day.",
    "Film night: trumpets in the rain": "With an introduction by someone who was there.",
    "Big band night from New York": "The band plays in New York; we watch the stream together, at an hour that is kind to us.",
    "Concert for small ears": "Big sounds, in an hour. Prams may come in.",
    "Bebop workshop": "For all who know their scales.",
    "Festival on the quays": "Six stages, four days, nothing to pay.",
    "Evening run": "Ten kilometres, one group for each pace. We meet at the swing bridge.",
    "Long run": "Eighteen kilometres along the canal, and back by train.",
    "First aid for runners": "Plasters, sprains and heat.",
    "Half marathon": "Numbers are at the tent from seven.",
    "Weekend by the sea": "Two tents are still free.",
    "Night run with lamps": "Bring a lamp; we have six to lend.",
}

# The rule, and the last day counted from today; None for an endless series. A series begins on the first day of its rule.
SERIES: dict[str, tuple[str, int | None]] = {
    "Open stage": ("FREQ=WEEKLY", None),
    "Evening run": ("FREQ=WEEKLY;BYDAY=TU,TH", 120),
    "Long run": ("FREQ=WEEKLY;INTERVAL=2", 120),
    "Members' breakfast": ("FREQ=MONTHLY;BYDAY=-1SU", None),
    "Piano lesson": ("FREQ=WEEKLY", 90),
    "Mum's birthday": ("FREQ=YEARLY", 2_000),
}

# Events that do not take place as planned: status and note.
STATUS: dict[str, tuple[str, str]] = {
    "Film night: trumpets in the rain": (
        "cancelled",
        "The projector is broken. Tickets are refunded at the door.",
    ),
    "Trio in the park": ("postponed", "Rain is forecast. We are looking for a new date."),
}

# Name, country, phone number and tags of each contact.
GUESTS = [
    ("Émile Aubert", "France", "+33 6 39 98 11 01", "friends, jazz"),
    ("Noor Haddad", "France", "+33 6 39 98 22 02", "friends"),
    ("Dana Weber", "Germany", "+49 152 28817386", "jazz"),
    ("Kenji Mori", "Japan", "+81 90-1790-1357", "jazz, records"),
    ("Lucía Prieto", "Spain", "", "jazz"),
    ("Sam Okafor", "United Kingdom", "+44 7700 900123", "runners"),
    ("Inês Duarte", "Portugal", "", "runners"),
    ("Pavel Novák", "Czechia", "", "runners"),
    ("Maya Rosen", "United States", "+1 212 555 0145", "work"),
    ("Tom Baker", "United Kingdom", "+44 7700 900456", "records"),
    ("Aïcha Diallo", "Senegal", "", "jazz, friends"),
    ("Greta Lindqvist", "Sweden", "+46 70 174 06 05", "runners"),
    ("Luca Ferri", "Italy", "", "runners, friends"),
    ("Zofia Mazur", "Poland", "", "records"),
]

NOTES = ["", "With a friend of mine.", "", "I may be a little late.", "", "Looking forward to it!", "I can bring cups."]

# Event, author, text, and whether Ana has approved the comment.
COMMENTS = [
    ("Blue Hour Quartet", "Dana Weber", "Is there a cloak room?", True),
    ("Blue Hour Quartet", "Kenji Mori", "I heard them in Kyoto last year: do not miss the second set.", True),
    ("Blue Hour Quartet", "Lucía Prieto", "Are there seats near the stage for someone on crutches?", False),
    ("Record fair", "Tom Baker", "May I bring two crates of my own?", False),
    ("Record fair", "Zofia Mazur", "Last year I found the one I had been after for ten years. On the second day!", True),
    ("Salomé Vidal sings", "Aïcha Diallo", "Two tickets to give away, write to me.", False),
    ("Festival on the quays", "Greta Lindqvist", "We are camping nearby, who joins us?", True),
    ("Half marathon", "Sam Okafor", "Can one still change from the ten kilometres?", False),
    ("Half marathon", "Pavel Novák", "See you at the start, I am the one with the orange cap.", True),
    ("Night run with lamps", "Inês Duarte", "I need one of the six lamps, please.", True),
    ("Weekend by the sea", "Luca Ferri", "I have a car with three seats.", True),
]
