-- A change of one date raises the version of its series, and so the ETag of the series on each calendar that has another of its dates.
-- Followers by CalDAV are told of it by entries of the kind `dates`, with the id of the series: once in a transaction for each calendar,
-- since it takes reading all dates.
-- @needs 0066
-- The transaction that raised the version last. Those of SQLite have no number of their own.
ALTER TABLE series_versions ADD COLUMN transaction_id $int NOT NULL DEFAULT 0;
ALTER TABLE change_author ADD COLUMN transaction_id $int NOT NULL DEFAULT 0;

-- @sync INSERT ON series AS version_insert: INSERT INTO series_versions (series_id, version, transaction_id) VALUES (NEW.id, 1, $transaction)
-- @sync UPDATE ON series AS version_update: UPDATE series_versions SET version = version + 1, transaction_id = $transaction WHERE series_id = NEW.id AND $unmarked
-- @sync INSERT ON series_exceptions AS version_insert: UPDATE series_versions SET version = version + 1, transaction_id = $transaction WHERE series_id = NEW.series_id AND $unmarked
-- @sync DELETE ON series_exceptions AS version_delete: UPDATE series_versions SET version = version + 1, transaction_id = $transaction WHERE series_id = OLD.series_id AND $unmarked
-- @sync INSERT ON events AS version_insert WHEN NEW.series_id IS NOT NULL: UPDATE series_versions SET version = version + 1, transaction_id = $transaction WHERE series_id = NEW.series_id AND $unmarked
-- @sync UPDATE ON events AS version_update WHEN OLD.series_id IS NOT NULL OR NEW.series_id IS NOT NULL: UPDATE series_versions SET version = version + 1, transaction_id = $transaction WHERE series_id IN (OLD.series_id, NEW.series_id) AND $unmarked
-- @sync DELETE ON events AS version_delete WHEN OLD.series_id IS NOT NULL: UPDATE series_versions SET version = version + 1, transaction_id = $transaction WHERE series_id = OLD.series_id AND $unmarked
-- @sync UPDATE ON series_versions WHEN OLD.transaction_id <> NEW.transaction_id: INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT DISTINCT p.calendar_id, 'dates', NEW.series_id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id = NEW.series_id

-- Who may edit a calendar sees the events of it that an admin has hidden.
-- @sync UPDATE ON calendar_shares WHEN OLD.role <> NEW.role: $lock_new_calendar INSERT INTO sync_entries (user_id, kind, record_id) SELECT NEW.user_id, 'calendar', NEW.calendar_id UNION ALL SELECT NEW.user_id, 'event', e.id FROM hidden_dates d JOIN events e ON e.id = d.event_id WHERE e.calendar_id = NEW.calendar_id UNION ALL SELECT NEW.user_id, 'comment', c.id FROM placements p JOIN comments c ON c.event_id = p.event_id WHERE p.calendar_id = NEW.calendar_id UNION ALL SELECT NEW.user_id, 'response', r.id FROM placements p JOIN responses r ON r.event_id = p.event_id WHERE p.calendar_id = NEW.calendar_id

-- Followers may have missed such changes, and those of what they see for the sake of another calendar. They read these resources again.
INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT DISTINCT p.calendar_id, 'dates', e.series_id FROM events e JOIN placements p ON p.event_id = e.id WHERE e.series_id IS NOT NULL AND p.calendar_id <> e.calendar_id;
INSERT INTO sync_entries (calendar_id, kind, record_id) SELECT calendar_id, 'event', event_id FROM placements WHERE NOT grants;
