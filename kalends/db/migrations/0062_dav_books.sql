-- The address books that CardDAV clients made. The one that every user has is the list of contacts: it has the id 0, and no row.
CREATE TABLE dav_books (
    id $id,
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    slug TEXT NOT NULL
$end;
CREATE UNIQUE INDEX dav_books_by_slug ON dav_books (user_id, slug);

-- The properties that clients have set on an address book, its name among them: each an element of XML.
CREATE TABLE dav_book_properties (
    user_id $int NOT NULL REFERENCES users ON DELETE CASCADE,
    book_id $int NOT NULL,
    name TEXT NOT NULL,
    element TEXT NOT NULL,
    PRIMARY KEY (user_id, book_id, name)
$end;

ALTER TABLE dav_cards ADD COLUMN book_id $int NOT NULL DEFAULT 0;
DROP INDEX dav_cards_by_name;
CREATE UNIQUE INDEX dav_cards_by_name ON dav_cards (user_id, book_id, name);
