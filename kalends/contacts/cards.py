"""What an address book hands us, whatever its format: entries that are read into contacts' fields."""

from kalends.contacts.entry import Entry as Entry
