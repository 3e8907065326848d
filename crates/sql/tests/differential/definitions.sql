-- Views, checks, indexes and defaults as the server prints them.
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE customer (id serial PRIMARY KEY, name text NOT NULL, email varchar(100), balance numeric(12,2) DEFAULT 0 CHECK (balance >= 0), feeling mood DEFAULT 'ok', status char(1) DEFAULT 'n', CONSTRAINT positive CHECK (balance > 0 AND status IN ('n', 'p')));
CREATE INDEX customer_open ON customer (name) WHERE status <> 'd';
CREATE VIEW rich AS SELECT id, name, balance FROM customer WHERE balance > 1000;
CREATE VIEW whole AS SELECT * FROM customer;
CREATE VIEW worked AS SELECT id, upper(name) AS up, CASE WHEN balance > 10 THEN 'a' ELSE 'b' END AS k, coalesce(email, 'none') AS email, balance::int AS b, 'x' AS lit, 1 + 2 AS sum FROM customer WHERE name LIKE 'a%' AND feeling IN ('sad', 'ok') OR email IS NULL;
CREATE VIEW renamed (a, "B") AS SELECT id, name FROM customer;
SELECT pg_get_viewdef('rich'), pg_get_viewdef('rich', true);
SELECT pg_get_viewdef('whole'), pg_get_viewdef('whole', true);
SELECT pg_get_viewdef('worked'), pg_get_viewdef('worked', true);
SELECT pg_get_viewdef('renamed'), pg_get_viewdef('renamed', true);
SELECT definition FROM pg_views WHERE viewname = 'rich';
SELECT view_definition FROM information_schema.views WHERE table_name = 'worked';
SELECT conname, pg_get_constraintdef(oid), pg_get_constraintdef(oid, true) FROM pg_constraint WHERE conrelid = 'customer'::regclass ORDER BY conname;
SELECT indexdef FROM pg_indexes WHERE tablename = 'customer' ORDER BY indexname;
SELECT column_name, column_default FROM information_schema.columns WHERE table_name = 'customer' ORDER BY ordinal_position;
-- A type with a collation.
CREATE TABLE collated (a varchar(5) COLLATE "C");
ALTER TABLE collated ALTER a TYPE text;
SELECT collation_name FROM information_schema.columns WHERE table_name = 'collated';
ALTER TABLE collated ALTER COLUMN a SET DATA TYPE varchar(7) COLLATE "C" USING a || 'x', ALTER a SET NOT NULL;
SELECT collation_name, data_type FROM information_schema.columns WHERE table_name = 'collated';
ALTER TABLE collated ALTER a TYPE text COLLATE "nosuch";
ALTER TABLE collated ALTER a TYPE int COLLATE "C" USING 1;
DROP TABLE collated;
