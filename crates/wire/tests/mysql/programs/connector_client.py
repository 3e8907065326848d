"""What mysql-connector-python hears, in its pure form: prepared statements with every type, and changes of the session."""
import datetime
import decimal
import socket
import sys

import mysql.connector

# The client tells the server where it runs, and recordings are the same everywhere.
socket.gethostname = lambda: "client"

host, port, user, password, tables = sys.argv[1:6]
login = dict(host=host, port=int(port), user=user, password=password, use_pure=True)


def show(what, cursor):
    print(what[:60], "->", cursor.rowcount, cursor.lastrowid, cursor.column_names)
    if cursor.description:
        print("  ", [column[1:] for column in cursor.description])
        for row in cursor.fetchall():
            text = repr(row)
            print("  ", text if len(text) < 2000 else len(text))


def run(cursor, sql, args=()):
    try:
        cursor.execute(sql, args)
        show(sql, cursor)
    except mysql.connector.Error as error:
        print(sql[:60], "->", type(error).__name__, error.errno, error.sqlstate, error.msg)


connection = mysql.connector.connect(**login, database="shop", autocommit=True)
cursor = connection.cursor()
for line in open(tables):
    run(cursor, line.rstrip("\n"))
run(cursor, "SELECT * FROM kinds ORDER BY id")
prepared = connection.cursor(prepared=True)
# This client reads neither YEAR nor zero dates of binary rows.
known = "id, t, tu, s, su, m, mu, i, iu, b, bu, f, d, n, da, dt, ts, ti, bi, bo, c, v, bn, vb, tx, bl, j, e, st"
run(prepared, f"SELECT {known} FROM kinds WHERE id NOT IN (3, ?) ORDER BY id", (4,))
values = [
    (1, 2, 3),
    (-1, 2**40, -(2**63)),
    (1.5, decimal.Decimal("1.25"), None),
    ("text", "ü😀", b"\x00\xff"),
    (datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5), datetime.datetime(2020, 1, 2, 3, 4, 5, 678)),
    (datetime.timedelta(hours=-30, seconds=-1), datetime.timedelta(microseconds=5), datetime.time(1, 2, 3)),
    (None, None, None),
    ("x" * 300, "y" * 70000, ""),
    (True, False, 2**64 - 1),
]
for row in values:
    run(prepared, "SELECT ?, ?, ?", row)
run(prepared, "INSERT INTO orders (name, amount) VALUES (?, ?)", ("one", decimal.Decimal("3.10")))
run(prepared, "INSERT INTO orders (name, amount) VALUES (?, ?)", ("two", None))
run(prepared, "INSERT INTO orders (name, amount) VALUES (?, ?)", ("two", 4))
run(prepared, "SELECT name, amount FROM orders WHERE amount > ? OR amount IS NULL ORDER BY id", (1,))
run(prepared, "SELECT * FROM nowhere WHERE a = ?", (1,))
run(prepared, "UPDATE orders SET amount = ? WHERE name = ?", (5, "one"))
big = "z" * 17000000
run(prepared, "SELECT LENGTH(?)", (big,))
prepared.close()
cursor.execute("SELECT REPEAT('z', 17000000)")
print([len(value) for value in cursor.fetchone()])

connection.cmd_ping()
run(cursor, "SET @a = 1")
connection.cmd_reset_connection()
run(cursor, "SELECT @a")
connection.cmd_change_user(user, password, "mysql")
run(cursor, "SELECT DATABASE()")
connection.cmd_init_db("shop")
run(cursor, "SELECT DATABASE()")
connection.autocommit = False
run(cursor, "SELECT 1")
print(connection.in_transaction)
connection.rollback()
cursor.execute("SELECT 1; SELECT 'two' AS b; INSERT INTO orders (name) VALUES ('three')")
while True:
    show("several", cursor)
    if not cursor.nextset():
        break
connection.rollback()
try:
    connection.cmd_change_user(user, "wrong", "mysql")
except mysql.connector.Error as error:
    print(error.errno, error.sqlstate, error.msg)

for change in ({"password": "wrong"}, {"password": ""}, {"database": "nowhere"}):
    try:
        mysql.connector.connect(**{**login, **change})
        print("connected")
    except mysql.connector.Error as error:
        print(change, error.errno, error.sqlstate, error.msg)
