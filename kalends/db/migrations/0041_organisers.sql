-- The list of those who own a public calendar.

CREATE INDEX calendars_in_public ON calendars (owner_id, id) WHERE public;
