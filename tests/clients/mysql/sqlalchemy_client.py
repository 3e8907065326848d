"""SQLAlchemy: the ORM over PyMySQL, reflection, transactions."""
import sys

from sqlalchemy import ForeignKey, Numeric, String, URL, create_engine, func, inspect, select, text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship

host, port, user, password = sys.argv[1:5]
url = URL.create("mysql+pymysql", user, password, host, int(port), "shop")
engine = create_engine(url)


class Base(DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customer"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40), unique=True)
    orders: Mapped[list["Order"]] = relationship(back_populates="customer", cascade="all, delete-orphan", order_by="Order.id")


class Order(Base):
    __tablename__ = "customer_order"
    id: Mapped[int] = mapped_column(primary_key=True)
    customer_id: Mapped[int] = mapped_column(ForeignKey("customer.id"))
    amount: Mapped[float] = mapped_column(Numeric(10, 2))
    customer: Mapped[Customer] = relationship(back_populates="orders")


Base.metadata.drop_all(engine)
Base.metadata.create_all(engine)
with Session(engine) as session:
    session.add_all(Customer(name=name, orders=[Order(amount=n), Order(amount=n / 4)]) for n, name in enumerate(["ann", "bob", "cid"], 1))
    session.commit()
    totals = select(Customer.name, func.count(Order.id), func.sum(Order.amount)).join(Order).group_by(Customer.name).order_by(Customer.name)
    print(session.execute(totals).all())
    bob = session.scalars(select(Customer).where(Customer.name == "bob").with_for_update()).one()
    bob.orders[0].amount = 9
    session.delete(session.scalars(select(Customer).where(Customer.name == "cid")).one())
    session.commit()
    print([(c.id, c.name, [o.amount for o in c.orders]) for c in session.scalars(select(Customer).order_by(Customer.id))])
    session.add(Customer(name="bob"))
    try:
        session.commit()
    except IntegrityError as error:
        print(error.orig.args)
        session.rollback()
    print(session.scalar(select(func.count()).select_from(Order)))
found = inspect(engine)
print(sorted(found.get_table_names()))
print([(c["name"], str(c["type"]), c["nullable"]) for c in found.get_columns("customer")])
print(found.get_pk_constraint("customer")["constrained_columns"], [k["referred_table"] for k in found.get_foreign_keys("customer_order")])
with engine.connect().execution_options(isolation_level="SERIALIZABLE") as connection:
    print(connection.execute(text("SELECT name FROM customer WHERE id = :id"), {"id": 1}).all())
Base.metadata.drop_all(engine)
