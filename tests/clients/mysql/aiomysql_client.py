"""aiomysql: a pool whose connections work side by side."""
import asyncio
import sys

import aiomysql

host, port, user, password = sys.argv[1:5]


async def main():
    pool = await aiomysql.create_pool(host=host, port=int(port), user=user, password=password, db="shop", minsize=4, maxsize=4)
    async with pool.acquire() as connection, connection.cursor() as cursor:
        await cursor.execute("DROP TABLE IF EXISTS counter")
        await cursor.execute("CREATE TABLE counter (id INT PRIMARY KEY, n INT NOT NULL)")
        await cursor.execute("INSERT INTO counter VALUES (1, 0)")
        await connection.commit()

    async def add():
        async with pool.acquire() as connection, connection.cursor() as cursor:
            for _ in range(5):
                await connection.begin()
                await cursor.execute("SELECT n FROM counter WHERE id = 1 FOR UPDATE")
                (n,) = await cursor.fetchone()
                await cursor.execute("UPDATE counter SET n = %s WHERE id = %s", (n + 1, 1))
                await connection.commit()

    await asyncio.gather(*(add() for _ in range(4)))
    async with pool.acquire() as connection, connection.cursor(aiomysql.DictCursor) as cursor:
        await cursor.execute("SELECT * FROM counter")
        print(await cursor.fetchall())
        try:
            await cursor.execute("INSERT INTO counter VALUES (1, 0)")
        except aiomysql.IntegrityError as error:
            print(error.args)
        await cursor.execute("DROP TABLE counter")
    pool.close()
    await pool.wait_closed()


asyncio.run(main())
