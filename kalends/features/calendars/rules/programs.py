"""The names of the programs that fetch feeds, by what they say of themselves."""

OTHER = "Other"

# A part of the field `User-Agent`, in lower case. What is more specific comes first: many programs name others.
_PROGRAMS = {
    "google-calendar-importer": "Google Calendar",
    "googlebot": "Google",
    "kalends": "Kalends",
    "mobilizon": "Mobilizon",
    "gancio": "Gancio",
    "nextcloud": "Nextcloud",
    "owncloud": "ownCloud",
    "icsx5": "ICSx⁵",
    "davx5": "DAVx⁵",
    "thunderbird": "Thunderbird",
    "lightning": "Thunderbird",
    "outlook": "Outlook",
    "microsoft": "Outlook",
    "exchange": "Outlook",
    "dataaccessd": "Apple Calendar (iOS)",
    "ios/": "Apple Calendar (iOS)",
    "calendaragent": "Apple Calendar (macOS)",
    "macos/": "Apple Calendar (macOS)",
    "mac os x/": "Apple Calendar (macOS)",
    "yahoo": "Yahoo Calendar",
    "evolution": "Evolution",
    "korganizer": "KOrganizer",
    "akonadi": "KOrganizer",
    "etar": "Etar",
    "home assistant": "Home Assistant",
    "homeassistant": "Home Assistant",
    "wordpress": "WordPress",
    "curl": "curl",
    "python": "Python",
    "mozilla/": "A browser",
}


def program_of(user_agent: str) -> str:
    """One of a few names, so that a list of them stays short and says nothing of a person."""
    said = user_agent[:500].lower()
    return next((name for part, name in _PROGRAMS.items() if part in said), OTHER)
