"""mysql-connector: text and prepared statements, in Python and in C, a pool that resets its connections."""
import datetime
import decimal
import sys

import mysql.connector
from mysql.connector import pooling

host, port, user, password = sys.argv[1:5]
login = dict(host=host, port=int(port), user=user, password=password, database="shop", charset="utf8mb4", collation="utf8mb4_general_ci")

for use_pure in (True, False) if mysql.connector.HAVE_CEXT else (True,):
    connection = mysql.connector.connect(**login, use_pure=use_pure)
    cursor = connection.cursor()
    cursor.execute("DROP TABLE IF EXISTS item")
    cursor.execute("CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20), price DECIMAL(10,2), day DATE, at DATETIME(6), "
                   "took TIME, ratio DOUBLE, raw VARBINARY(20), big BIGINT UNSIGNED)")
    values = (1, "grüße", decimal.Decimal("2.25"), datetime.date(2020, 1, 2), datetime.datetime(2020, 1, 2, 3, 4, 5, 678),
              datetime.timedelta(hours=-25), 1.5, b"\x00\xff", 2**64 - 1)
    cursor.execute("INSERT INTO item VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)", values)
    connection.commit()
    cursor.execute("SELECT * FROM item")
    print(cursor.column_names, cursor.fetchall())
    prepared = connection.cursor(prepared=True)
    prepared.execute("INSERT INTO item VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)", (2, *values[1:]))
    prepared.execute("INSERT INTO item VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)", (3, *[None] * 8))
    connection.commit()
    prepared.execute("SELECT * FROM item WHERE id >= %s ORDER BY id", (1,))
    for row in prepared.fetchall():
        print(row)
    try:
        cursor.execute("INSERT INTO item (id) VALUES (1)")
    except mysql.connector.Error as error:
        print(error.errno, error.sqlstate, error.msg)
    connection.rollback()
    connection.cmd_reset_connection()
    cursor = connection.cursor()
    cursor.execute("SELECT @@autocommit, DATABASE()")
    print(cursor.fetchall())
    connection.close()

pool = pooling.MySQLConnectionPool(pool_size=2, **login)
for _ in range(3):
    connection = pool.get_connection()
    cursor = connection.cursor()
    cursor.execute("SELECT @mine")
    print(cursor.fetchall())
    cursor.execute("SET @mine = 7")
    cursor.execute("UPDATE item SET name = 'lost' WHERE id = 1")
    connection.close()
connection = pool.get_connection()
cursor = connection.cursor()
cursor.execute("SELECT name FROM item ORDER BY id")
print(cursor.fetchall())
cursor.execute("DROP TABLE item")
