"""What PyMySQL hears: texts, errors, counts, several statements, long values, changed sessions."""
import sys

import pymysql
from pymysql.constants import CLIENT

host, port, user, password, tables = sys.argv[1:6]
login = dict(host=host, port=int(port), user=user, password=password)


def show(cursor, sql, args=None):
    try:
        count = cursor.execute(sql, args)
    except pymysql.Error as error:
        print(sql[:60], "->", type(error).__name__, str(error)[:200])
        return
    while True:
        print(sql[:60], "->", count, cursor.rowcount, cursor.lastrowid, cursor._result.warning_count, cursor._result.server_status)
        if cursor.description:
            print("  ", cursor.description)
            for row in cursor.fetchall():
                text = repr(row)
                print("  ", text if len(text) < 2000 else (len(text), hash_of(text)))
        try:
            if not cursor.nextset():
                return
        except pymysql.Error as error:
            print("  next ->", type(error).__name__, error)
            return
        sql, count = "  next", None


def hash_of(text):
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:16]


connection = pymysql.connect(**login, database="shop", autocommit=True, client_flag=CLIENT.MULTI_STATEMENTS)
cursor = connection.cursor()
for line in open(tables):
    show(cursor, line.rstrip("\n"))
show(cursor, "SELECT * FROM kinds ORDER BY id")
show(cursor, "SELECT 1, 'a', NULL, 1.50, NOW() > '2000-01-01', x'00ff' AS bytes")
show(cursor, "INSERT INTO orders (name, amount) VALUES (%s, %s), (%s, %s)", ("one", 1.25, "it's \\ two", None))
show(cursor, "UPDATE orders SET amount = 1.25")
show(cursor, "UPDATE orders SET amount = 1.25")
show(cursor, "INSERT INTO orders (name) VALUES ('one')")
show(cursor, "INSERT IGNORE INTO orders (name) VALUES ('one')")
show(cursor, "SHOW WARNINGS")
show(cursor, "SELECT * FROM nowhere")
show(cursor, "SELEKT 1")
show(cursor, "")
show(cursor, "SELECT 'a' + 1")
show(cursor, "SELECT id, name FROM orders ORDER BY id; UPDATE orders SET amount = 2 WHERE id = 1; SELECT 7; SELECT * FROM nowhere; SELECT 8")
show(cursor, "DO 1; DO 2")
show(cursor, "BEGIN")
show(cursor, "SELECT COUNT(*) FROM orders")
show(cursor, "ROLLBACK")
show(cursor, "SELECT 1 WHERE 1 = 0")
show(cursor, "SELECT REPEAT('x', 300)")
show(cursor, "SELECT REPEAT('y', 70000) AS big")
# Rows and statements that fill a packet to its last byte, and longer ones.
for length in (16777211, 16777215, 17000000):
    cursor.execute(f"SELECT REPEAT('x', {length})")
    value = cursor.fetchone()[0]
    print(length, len(value), value == "x" * length)
    cursor.execute("SELECT LENGTH('" + "y" * (length - 18) + "')")
    print(cursor.fetchone())
connection.ping()
connection.select_db("mysql")
show(cursor, "SELECT DATABASE()")
show(cursor, "SELECT * FROM (SELECT 1 AS a) AS t WHERE SLEEP(0) = 0")
unbuffered = connection.cursor(pymysql.cursors.SSCursor)
unbuffered.execute("SELECT id, t FROM shop.kinds ORDER BY id")
for row in unbuffered:
    print(row)
connection.close()

found = pymysql.connect(**login, database="shop", client_flag=CLIENT.FOUND_ROWS)
cursor = found.cursor()
show(cursor, "UPDATE orders SET amount = 2 WHERE id = 1")
show(cursor, "SELECT @@autocommit")
found.rollback()
found.close()

for change in ({"password": "wrong"}, {"password": ""}, {"database": "nowhere"}, {"user": "nobody"}):
    try:
        pymysql.connect(**{**login, **change})
        print("connected")
    except pymysql.Error as error:
        print(change, type(error).__name__, error)
