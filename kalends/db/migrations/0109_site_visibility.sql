-- Who sees what is public: everyone, or who has an account.
-- @needs 0108
ALTER TABLE site ADD COLUMN visibility TEXT CHECK (visibility IN ('everyone', 'members'));
