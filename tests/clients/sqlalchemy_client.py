"""SQLAlchemy: Core, ORM and reflection, over psycopg 2, psycopg 3 and asyncpg."""

import asyncio
import datetime
import decimal
import os

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import create_async_engine


class Base(orm.DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "sa_user"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str] = orm.mapped_column(sa.String(30), unique=True)
    born: orm.Mapped[datetime.date | None]
    orders: orm.Mapped[list["Order"]] = orm.relationship(back_populates="user", cascade="all, delete-orphan")


class Order(Base):
    __tablename__ = "sa_order"
    __table_args__ = (sa.CheckConstraint("total >= 0", name="sa_order_total"), sa.Index("sa_order_by_user", "user_id", "id"))
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    user_id: orm.Mapped[int] = orm.mapped_column(sa.ForeignKey("sa_user.id", ondelete="CASCADE"))
    total: orm.Mapped[decimal.Decimal] = orm.mapped_column(sa.Numeric(10, 2))
    state: orm.Mapped[str] = orm.mapped_column(sa.Enum("new", "paid", name="sa_state"), server_default="new")
    more: orm.Mapped[dict] = orm.mapped_column(postgresql.JSONB, default=dict)
    tags: orm.Mapped[list[str] | None] = orm.mapped_column(postgresql.ARRAY(sa.Text))
    user: orm.Mapped[User] = orm.relationship(back_populates="orders")


def core_and_orm(engine):
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    Base.metadata.create_all(engine)  # finds that they are there
    with orm.Session(engine) as session:
        alice = User(name="alice", born=datetime.date(1990, 1, 1))
        alice.orders = [Order(total=decimal.Decimal(n), tags=["a", "b"], more={"n": n}) for n in range(1, 6)]
        session.add_all([alice, User(name="bob")])
        session.commit()
        assert alice.id == 1 and [order.state for order in alice.orders] == ["new"] * 5
        total = session.scalar(sa.select(sa.func.sum(Order.total)).join(User).where(User.name == "alice"))
        assert total == 15
        rows = session.execute(
            sa.select(User.name, sa.func.count(Order.id)).outerjoin(Order).group_by(User.name).order_by(User.name)
        ).all()
        assert [tuple(row) for row in rows] == [("alice", 5), ("bob", 0)]
        loaded = session.scalars(sa.select(User).options(orm.selectinload(User.orders)).order_by(User.id)).all()
        assert [len(user.orders) for user in loaded] == [5, 0]
        loaded[0].orders[0].state = "paid"
        del loaded[0].orders[4]
        session.commit()
        assert session.scalar(sa.select(sa.func.count()).select_from(Order)) == 4
        session.add(User(name="bob"))
        try:
            session.commit()
            raise SystemExit("there is a bob")
        except sa.exc.IntegrityError:
            session.rollback()
        with session.begin_nested():
            session.execute(sa.update(User).where(User.name == "bob").values(name="carol"))
        locked = session.scalars(sa.select(User).where(User.name == "carol").with_for_update()).one()
        session.delete(locked)
        session.commit()
    upsert = postgresql.insert(User).values(id=1, name="alice")
    upsert = upsert.on_conflict_do_update(index_elements=["name"], set_={"born": datetime.date(2000, 1, 1)})
    with engine.begin() as connection:
        connection.execute(upsert)
        assert connection.scalar(sa.select(User.born)) == datetime.date(2000, 1, 1)
        names = [{"name": f"u{n}"} for n in range(50)]
        ids = connection.scalars(sa.insert(User).returning(User.id), names).all()
        assert len(set(ids)) == 50
    with engine.connect().execution_options(isolation_level="SERIALIZABLE") as connection:
        assert connection.scalar(sa.text("SHOW transaction_isolation")) == "serializable"


def reflect(engine):
    inspector = sa.inspect(engine)
    assert {"sa_user", "sa_order"} <= set(inspector.get_table_names())
    columns = {column["name"]: column for column in inspector.get_columns("sa_order")}
    assert list(columns) == ["id", "user_id", "total", "state", "more", "tags"], list(columns)
    assert isinstance(columns["total"]["type"], sa.NUMERIC) and columns["total"]["type"].scale == 2
    assert columns["state"]["type"].enums == ["new", "paid"]
    assert inspector.get_pk_constraint("sa_order")["constrained_columns"] == ["id"]
    (key,) = inspector.get_foreign_keys("sa_order")
    assert key["referred_table"] == "sa_user" and key["options"] == {"ondelete": "CASCADE"}, key
    assert [c["name"] for c in inspector.get_check_constraints("sa_order")] == ["sa_order_total"]
    assert [u["column_names"] for u in inspector.get_unique_constraints("sa_user")] == [["name"]]
    assert [i["column_names"] for i in inspector.get_indexes("sa_order")] == [["user_id", "id"]]
    metadata = sa.MetaData()
    metadata.reflect(engine)
    order = metadata.tables["sa_order"]
    with engine.connect() as connection:
        assert len(connection.execute(sa.select(order)).all()) == 4


async def over_asyncpg(url):
    engine = create_async_engine(url)
    async with engine.begin() as connection:
        assert await connection.scalar(sa.select(sa.func.count()).select_from(Order)) == 4
        await connection.execute(sa.update(Order).values(total=Order.total + 1))
        await connection.run_sync(lambda connection: sa.inspect(connection).get_columns("sa_user"))
    await engine.dispose()


url = sa.make_url(os.environ["DATABASE_URL"])
for driver in ("psycopg2", "psycopg"):
    engine = sa.create_engine(url.set(drivername=f"postgresql+{driver}"))
    core_and_orm(engine)
    reflect(engine)
    engine.dispose()
asyncio.run(over_asyncpg(url.set(drivername="postgresql+asyncpg")))
print("SQLAlchemy", sa.__version__)
