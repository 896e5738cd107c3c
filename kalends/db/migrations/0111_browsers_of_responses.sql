-- The hash of the key of the browser in which a guest responded: without proof of the address, that browser alone changes the response.
-- NULL: it was made elsewhere.
-- @needs 0110
ALTER TABLE responses ADD COLUMN browser TEXT;
