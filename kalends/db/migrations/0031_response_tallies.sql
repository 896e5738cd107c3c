-- How many have said what, counted by triggers: the page of an event with 50,000 responses costs what that of an event with ten costs.
CREATE TABLE response_tallies (
    event_id $int PRIMARY KEY NOT NULL REFERENCES events ON DELETE CASCADE,
    yes $int NOT NULL,
    maybe $int NOT NULL,
    no $int NOT NULL,
    -- The sum of number + plus_n of those who said YES.
    people $int NOT NULL
$end;
INSERT INTO response_tallies (event_id, yes, maybe, no, people)
SELECT event_id, sum(CASE response WHEN 'YES' THEN 1 ELSE 0 END), sum(CASE response WHEN 'MAYBE' THEN 1 ELSE 0 END),
    sum(CASE response WHEN 'NO' THEN 1 ELSE 0 END), sum(CASE response WHEN 'YES' THEN number + plus_n ELSE 0 END)
FROM responses GROUP BY event_id;

-- An update that changes nothing counts, too: whether an address has responded before must not show in the number of rows written.
-- @after INSERT ON responses: INSERT INTO response_tallies (event_id, yes, maybe, no, people) SELECT e.id, CASE NEW.response WHEN 'YES' THEN 1 ELSE 0 END, CASE NEW.response WHEN 'MAYBE' THEN 1 ELSE 0 END, CASE NEW.response WHEN 'NO' THEN 1 ELSE 0 END, CASE NEW.response WHEN 'YES' THEN NEW.number + NEW.plus_n ELSE 0 END FROM events e WHERE e.id = NEW.event_id ON CONFLICT (event_id) DO UPDATE SET yes = response_tallies.yes + excluded.yes, maybe = response_tallies.maybe + excluded.maybe, no = response_tallies.no + excluded.no, people = response_tallies.people + excluded.people
-- @after UPDATE ON responses: UPDATE response_tallies SET yes = yes + CASE NEW.response WHEN 'YES' THEN 1 ELSE 0 END - CASE OLD.response WHEN 'YES' THEN 1 ELSE 0 END, maybe = maybe + CASE NEW.response WHEN 'MAYBE' THEN 1 ELSE 0 END - CASE OLD.response WHEN 'MAYBE' THEN 1 ELSE 0 END, no = no + CASE NEW.response WHEN 'NO' THEN 1 ELSE 0 END - CASE OLD.response WHEN 'NO' THEN 1 ELSE 0 END, people = people + CASE NEW.response WHEN 'YES' THEN NEW.number + NEW.plus_n ELSE 0 END - CASE OLD.response WHEN 'YES' THEN OLD.number + OLD.plus_n ELSE 0 END WHERE event_id = NEW.event_id AND (OLD.response <> NEW.response OR OLD.number + OLD.plus_n <> NEW.number + NEW.plus_n OR (OLD.held = NEW.held AND OLD.offered = NEW.offered AND OLD.queued_at IS NOT DISTINCT FROM NEW.queued_at))
-- @after DELETE ON responses: UPDATE response_tallies SET yes = yes - CASE OLD.response WHEN 'YES' THEN 1 ELSE 0 END, maybe = maybe - CASE OLD.response WHEN 'MAYBE' THEN 1 ELSE 0 END, no = no - CASE OLD.response WHEN 'NO' THEN 1 ELSE 0 END, people = people - CASE OLD.response WHEN 'YES' THEN OLD.number + OLD.plus_n ELSE 0 END WHERE event_id = OLD.event_id
-- Others who respond wait for the count only while the transaction commits.
-- @defer INSERT ON responses
-- @defer UPDATE ON responses
-- @defer DELETE ON responses

-- SQLite finds the condition of a partial index in a statement only if a column alone is on its left side.
DROP INDEX responses_waiting;
CREATE INDEX responses_waiting ON responses (event_id, queued_at, id) WHERE queued_at IS NOT NULL AND queued_for > held + offered;
