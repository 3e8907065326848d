"""Logs in by a client as each of some users, and says of each whether it came in."""
import asyncio
import sys

host, port, client = sys.argv[1:4]


async def in_turn(login):
    import aiomysql

    (await aiomysql.connect(**login)).close()


def enter(login):
    if client == "pymysql":
        import pymysql

        pymysql.connect(**login).ping()
    elif client == "mysql.connector":
        import mysql.connector

        mysql.connector.connect(use_pure=True, **login).ping()
    else:
        asyncio.run(in_turn(login))


for user, password in zip(sys.argv[4::2], sys.argv[5::2]):
    try:
        enter(dict(host=host, port=int(port), user=user, password=password))
        print("in")
    except Exception as error:
        number, words = error.args[:2]
        print(number, getattr(error, "msg", words))
