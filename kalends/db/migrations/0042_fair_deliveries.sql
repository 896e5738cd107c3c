-- Deliveries are claimed in turn of their owners, first those for which somebody waits.
DROP INDEX deliveries_urgent;
CREATE INDEX deliveries_urgent ON deliveries (channel, owner_id, due_at, id)
    WHERE state IN ('queued', 'sending') AND kind IN ('reset', 'verify', 'confirm', 'response', 'proposal', 'link', 'send_to_me');
CREATE INDEX deliveries_waiting_by_owner ON deliveries (channel, owner_id, due_at, id) WHERE state IN ('queued', 'sending');
