"""The same shop in SQLAlchemy, which sells its last item twice at READ COMMITTED.

    pip install sqlalchemy psycopg2-binary
    hob test --until-fail -- python examples/sql/stock_sqlalchemy.py
    hob test -- python examples/sql/stock_sqlalchemy.py --fixed

With `--fixed` the row is locked before it is read (SELECT … FOR UPDATE).
"""

import os
import sys
import threading

from sqlalchemy import ForeignKey, create_engine, func, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column


class Base(DeclarativeBase):
    pass


class Item(Base):
    __tablename__ = "item"
    id: Mapped[int] = mapped_column(primary_key=True)
    stock: Mapped[int]


class Order(Base):
    __tablename__ = "orders"
    id: Mapped[int] = mapped_column(primary_key=True)
    item_id: Mapped[int] = mapped_column(ForeignKey("item.id"))


engine = create_engine(os.environ["DATABASE_URL"].replace("postgresql:", "postgresql+psycopg2:"))
fixed = "--fixed" in sys.argv


def buy(item_id):
    with Session(engine) as session, session.begin():
        item = session.get(Item, item_id, with_for_update=fixed)
        if item.stock < 1:
            return
        item.stock -= 1
        session.add(Order(item_id=item_id))


Base.metadata.create_all(engine)
with Session(engine) as session, session.begin():
    session.add(Item(id=1, stock=1))
customers = [threading.Thread(target=buy, args=(1,)) for _ in range(3)]
for thread in customers:
    thread.start()
for thread in customers:
    thread.join()

with Session(engine) as session:
    sold = session.scalar(select(func.count()).select_from(Order))
engine.dispose()
if sold > 1:
    sys.exit(f"one item in stock, {sold} sold")
