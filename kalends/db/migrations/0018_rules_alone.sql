-- The rule says the frequency and the interval.
ALTER TABLE series DROP COLUMN frequency;
ALTER TABLE series DROP COLUMN step;
