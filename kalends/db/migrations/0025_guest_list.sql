-- The list of an event's guests, by response and by name, and their number. Pages of it read as many entries as they have guests.
CREATE INDEX responses_by_kind ON responses (event_id, response, id, number, plus_n);
CREATE INDEX responses_by_name ON responses (event_id, lower(coalesce(name, email_address)), id, response);
