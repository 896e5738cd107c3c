-- How often something was done in a fixed window of time, for rate limits that hold across processes and servers.

CREATE TABLE rate_counters (
    window_start $int NOT NULL,
    -- What is counted and for whom, as a keyed hash: no address is stored.
    subject TEXT NOT NULL,
    uses $int NOT NULL,
    -- When no limit looks at it any more.
    expires_at $int NOT NULL,
    PRIMARY KEY (subject, window_start)
$end;
CREATE INDEX rate_counters_expired ON rate_counters (expires_at);
-- Messages that people wait for are claimed before all others.
CREATE INDEX deliveries_urgent ON deliveries (channel, due_at, id) WHERE state IN ('queued', 'sending') AND kind IN ('reset', 'verify');
