"""psycopg 2: parameters in the text, server-side cursors, COPY, errors by class."""

import datetime
import decimal
import io
import os
import uuid

import psycopg2
import psycopg2.errors
import psycopg2.extras

conn = psycopg2.connect(os.environ["DATABASE_URL"])
cur = conn.cursor()
cur.execute("DROP TABLE IF EXISTS line, item")
cur.execute(
    """CREATE TABLE item (
        id serial PRIMARY KEY, name text NOT NULL UNIQUE, price numeric(10,2) NOT NULL CHECK (price >= 0),
        tags text[], data jsonb, at timestamptz DEFAULT now(), day date, raw bytea, key uuid, flag boolean)"""
)
cur.execute("CREATE TABLE line (item_id int REFERENCES item(id) ON DELETE CASCADE, n int, PRIMARY KEY (item_id, n))")
conn.commit()

key = uuid.uuid4()
psycopg2.extras.register_uuid()
cur.execute(
    "INSERT INTO item (name, price, tags, data, day, raw, key, flag)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s, %s) RETURNING id, price",
    ("pen", decimal.Decimal("1.50"), ["a", 'b "c"'], psycopg2.extras.Json({"x": [1, None]}),
     datetime.date(2024, 2, 29), psycopg2.Binary(b"\x00\xff"), key, True),
)
assert cur.fetchone() == (1, decimal.Decimal("1.50"))
cur.execute("SELECT name, price, tags, data, day, raw, key, flag, at FROM item")
row = cur.fetchone()
assert row[0] == "pen" and row[1] == decimal.Decimal("1.50") and row[2] == ["a", 'b "c"'], row
assert row[3] == {"x": [1, None]} and row[4] == datetime.date(2024, 2, 29) and bytes(row[5]) == b"\x00\xff", row
assert row[6] == key and row[7] is True and row[8].tzinfo is not None, row
psycopg2.extras.execute_values(cur, "INSERT INTO line (item_id, n) VALUES %s", [(1, n) for n in range(10)])
assert cur.rowcount == 10
conn.commit()

cur.execute("UPDATE item SET price = price + %s WHERE id = %s", (decimal.Decimal("0.25"), 1))
assert cur.rowcount == 1
conn.rollback()
cur.execute("SELECT price FROM item WHERE id = 1")
assert cur.fetchone() == (decimal.Decimal("1.50"),)

for sql, error in [
    ("INSERT INTO item (name, price) VALUES ('pen', 1)", psycopg2.errors.UniqueViolation),
    ("INSERT INTO item (name, price) VALUES (NULL, 1)", psycopg2.errors.NotNullViolation),
    ("INSERT INTO item (name, price) VALUES ('x', -1)", psycopg2.errors.CheckViolation),
    ("INSERT INTO line VALUES (99, 1)", psycopg2.errors.ForeignKeyViolation),
    ("SELECT * FROM nowhere", psycopg2.errors.UndefinedTable),
    ("SELECT 1/0", psycopg2.errors.DivisionByZero),
    ("SELEC 1", psycopg2.errors.SyntaxError),
]:
    try:
        cur.execute(sql)
        raise SystemExit(f"{sql} did not fail")
    except error:
        pass
    try:
        cur.execute("SELECT 1")
        raise SystemExit("the transaction had not failed")
    except psycopg2.errors.InFailedSqlTransaction:
        conn.rollback()

with conn.cursor("named") as named:
    named.itersize = 3
    named.execute("SELECT n FROM line ORDER BY n")
    assert [n for (n,) in named] == list(range(10))
conn.commit()

cur.execute("SAVEPOINT s")
cur.execute("DELETE FROM line")
cur.execute("ROLLBACK TO SAVEPOINT s")
cur.execute("SELECT count(*) FROM line")
assert cur.fetchone() == (10,)

cur.copy_expert("COPY line (item_id, n) FROM STDIN WITH (FORMAT csv)", io.StringIO("1,100\n1,101\n"))
out = io.StringIO()
cur.copy_expert("COPY (SELECT n FROM line WHERE n >= 100 ORDER BY n) TO STDOUT", out)
assert out.getvalue() == "100\n101\n", out.getvalue()
conn.commit()

conn.set_session(isolation_level="SERIALIZABLE")
cur.execute("SHOW transaction_isolation")
assert cur.fetchone() == ("serializable",)
conn.commit()

cur.execute(
    "SELECT column_name, data_type, is_nullable FROM information_schema.columns"
    " WHERE table_name = 'item' ORDER BY ordinal_position LIMIT 3"
)
assert cur.fetchall() == [("id", "integer", "NO"), ("name", "text", "NO"), ("price", "numeric", "NO")]
conn.commit()
conn.close()
print("psycopg2", psycopg2.__version__)
