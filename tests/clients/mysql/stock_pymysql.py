"""Two clients take from a stock: read, compute, write. With --fixed they lock what they read."""
import os
import sys
import threading
from urllib.parse import urlsplit

import pymysql

url = urlsplit(os.environ["DATABASE_URL"])
assert os.environ["DATABASE_URL"] == os.environ["HOB_MYSQL_URL"]
lock = " FOR UPDATE" if "--fixed" in sys.argv else ""


def connect():
    return pymysql.connect(host=url.hostname, port=url.port, user=url.username, database=url.path[1:])


setup = connect()
with setup.cursor() as cursor:
    cursor.execute("CREATE TABLE item (id INT PRIMARY KEY, stock INT NOT NULL)")
    cursor.execute("INSERT INTO item VALUES (1, 10)")
setup.commit()


def take():
    connection = connect()
    with connection.cursor() as cursor:
        cursor.execute("SELECT stock FROM item WHERE id = 1" + lock)
        (stock,) = cursor.fetchone()
        cursor.execute("UPDATE item SET stock = %s WHERE id = 1", (stock - 1,))
    connection.commit()
    connection.close()


takers = [threading.Thread(target=take) for _ in range(2)]
for taker in takers:
    taker.start()
for taker in takers:
    taker.join()
with setup.cursor() as cursor:
    cursor.execute("SELECT stock FROM item")
    (stock,) = cursor.fetchone()
assert stock == 8, f"two were taken of ten, and {stock} are left"
