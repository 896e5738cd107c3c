-- What admins and the operator did: the log of the administration. It has ids and no names, so that a deleted account leaves none.
-- @needs 0088
CREATE TABLE audit_entries (
    id $id,
    at $int NOT NULL,
    -- NULL: the operator, with a command.
    actor_id $int,
    via TEXT NOT NULL CHECK (via IN ('page', 'api', 'key', 'command')),
    action TEXT NOT NULL,
    subject_kind TEXT NOT NULL,
    subject_id $int,
    detail TEXT NOT NULL DEFAULT ''
$end;
CREATE INDEX audit_entries_by_time ON audit_entries (at);

-- Notices of one more kind: someone administers the site now. The program knows which kinds there are.
ALTER TABLE deliveries RENAME COLUMN notice TO old_notice;
ALTER TABLE deliveries ADD COLUMN notice TEXT;
UPDATE deliveries SET notice = old_notice WHERE old_notice IS NOT NULL;
ALTER TABLE deliveries DROP COLUMN old_notice;
