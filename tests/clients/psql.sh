#!/bin/sh
# psql: scripts, variables, \copy, and what \d shows.
set -eu
run() { psql -X -v ON_ERROR_STOP=1 -At "$@"; }
show() { psql -X -v ON_ERROR_STOP=1 -A "$@"; }
is() { [ "$1" = "$2" ] || { printf 'expected:\n%s\ngot:\n%s\n' "$2" "$1" >&2; exit 1; }; }

run -q <<'SQL'
DROP VIEW IF EXISTS cheap;
DROP TABLE IF EXISTS tool;
CREATE TABLE tool (id int PRIMARY KEY, name text NOT NULL DEFAULT 'x', price numeric(6,2) CHECK (price > 0));
CREATE INDEX tool_by_name ON tool (name);
CREATE VIEW cheap AS SELECT id FROM tool WHERE price < 2;
INSERT INTO tool VALUES (1, 'saw', 1.50), (2, 'axe', 20);
BEGIN;
UPDATE tool SET price = price + 1 WHERE id = 1;
SAVEPOINT s;
DELETE FROM tool;
ROLLBACK TO s;
COMMIT;
SQL
is "$(run -c 'SELECT * FROM tool ORDER BY id')" '1|saw|2.50
2|axe|20.00'
is "$(run -v name=axe -c 'SELECT 1' -f - <<'SQL'
SELECT id FROM tool WHERE name = :'name';
SQL
)" '1
2'
printf '3\thammer\t5\n' | run -q -c '\copy tool from stdin'
is "$(run -c '\copy (select name from tool where id = 3) to stdout')" 'hammer'
is "$(run -c 'SELECT count(*) FROM tool')" '3'
is "$(printf 'SELECT id, name FROM tool \\gdesc' | run)" 'id|integer
name|text'
run -c '\d tool' | grep -q '^id|integer||not null|'
show -c '\d tool' | grep -q '"tool_pkey" PRIMARY KEY, btree (id)'
show -c '\d tool' | grep -q '"tool_price_check" CHECK (price > 0::numeric)'
run -c '\dt' | grep -q '^public|tool|table|'
run -c '\di' | grep -q '^public|tool_by_name|index|'
run -c '\dv' | grep -q '^public|cheap|view|'
show -c '\d+ cheap' | grep -q '^View definition:'
run -c '\l' | grep -q "^$PGDATABASE|"
run -c '\dn' | grep -q '^public|'
run -c '\du' | grep -q "^$PGUSER|"
run -c '\df' >/dev/null
run -c '\dT' >/dev/null
run -c '\conninfo' | grep -q "port \"$PGPORT\""
is "$(run -c 'SELECT nothing' 2>&1 | head -3)" 'ERROR:  column "nothing" does not exist
LINE 1: SELECT nothing
               ^'
psql --version
