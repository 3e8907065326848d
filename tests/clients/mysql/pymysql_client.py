"""PyMySQL: tables, counts, errors, transactions, several statements, rows one by one."""
import sys

import pymysql
from pymysql.constants import CLIENT

host, port, user, password = sys.argv[1:5]
login = dict(host=host, port=int(port), user=user, password=password, database="shop")
connection = pymysql.connect(**login, client_flag=CLIENT.MULTI_STATEMENTS)
cursor = connection.cursor()


def run(sql, args=None):
    try:
        count = cursor.execute(sql, args)
    except pymysql.Error as error:
        print(sql, "->", type(error).__name__, error)
        return
    print(sql, "->", count, cursor.lastrowid, cursor.fetchall() if cursor.description else "")


run("DROP TABLE IF EXISTS item")
run("CREATE TABLE item (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(20) NOT NULL UNIQUE, "
    "price DECIMAL(10,2) DEFAULT 1.50, seen DATETIME, note TEXT)")
run("INSERT INTO item (name, price, seen) VALUES (%s, %s, %s), (%s, NULL, NULL)", ("one", "2.25", "2020-01-02 03:04:05", "it's"))
connection.commit()
run("SELECT id, name, price, seen, note FROM item ORDER BY id")
run("UPDATE item SET price = 3 WHERE name = %s", ("one",))
run("UPDATE item SET price = 3 WHERE name = %s", ("one",))
run("INSERT INTO item (name) VALUES ('one')")
run("SELECT * FROM nowhere")
connection.rollback()
run("SELECT price FROM item ORDER BY id")
cursor.execute("SELECT 1; SELECT 'two'")
print(cursor.fetchall(), cursor.nextset(), cursor.fetchall(), cursor.nextset())
print(cursor.executemany("INSERT INTO item (name, price) VALUES (%s, %s)", [(f"n{i}", i) for i in range(100)]))
connection.commit()
with connection.cursor(pymysql.cursors.SSDictCursor) as rows:
    rows.execute("SELECT name, price FROM item WHERE price >= 97 ORDER BY id")
    for row in rows:
        print(row)
connection.ping()
connection.select_db("shop")
connection.begin()
run("SELECT price FROM item WHERE name = 'n7' FOR UPDATE")
run("UPDATE item SET price = price + 1 WHERE name = 'n7'")
connection.commit()
run("SELECT price FROM item WHERE name = 'n7'")
connection.close()
found = pymysql.connect(**login, client_flag=CLIENT.FOUND_ROWS, autocommit=True)
cursor = found.cursor()
run("UPDATE item SET price = 0 WHERE name = 'n0'")
run("DROP TABLE item")
