"""A shop in Django that sells its last item twice at READ COMMITTED.

    pip install django psycopg2-binary
    hob test --until-fail -- python examples/sql/stock_django.py
    hob test -- python examples/sql/stock_django.py --fixed

Each of three customers reads the stock, decides, and saves what is left, as ORM code usually does. With
`--fixed` the decision and the change are one UPDATE. The database is the one in DATABASE_URL.
"""

import os
import sys
import threading
from urllib.parse import urlparse

import django
from django.conf import settings

url = urlparse(os.environ["DATABASE_URL"])
settings.configure(
    DATABASES={
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": url.path.lstrip("/"),
            "USER": url.username,
            "PASSWORD": url.password or "",
            "HOST": url.hostname,
            "PORT": url.port,
        }
    },
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
)
django.setup()

from django.db import connection, models, transaction  # noqa: E402


class Item(models.Model):
    stock = models.IntegerField()

    class Meta:
        app_label = "shop"


class Order(models.Model):
    item = models.ForeignKey(Item, models.PROTECT)

    class Meta:
        app_label = "shop"


@transaction.atomic
def buy(item_id):
    item = Item.objects.get(pk=item_id)
    if item.stock < 1:
        return
    item.stock -= 1
    item.save()
    Order.objects.create(item=item)


@transaction.atomic
def buy_fixed(item_id):
    left = Item.objects.filter(pk=item_id, stock__gte=1)
    if left.update(stock=models.F("stock") - 1):
        Order.objects.create(item_id=item_id)


def customer(purchase, item_id):
    try:
        purchase(item_id)
    finally:
        connection.close()


with connection.schema_editor() as editor:
    editor.create_model(Item)
    editor.create_model(Order)
item = Item.objects.create(stock=1)
purchase = buy_fixed if "--fixed" in sys.argv else buy
customers = [threading.Thread(target=customer, args=(purchase, item.pk)) for _ in range(3)]
for thread in customers:
    thread.start()
for thread in customers:
    thread.join()

sold = Order.objects.count()
if sold > 1:
    sys.exit(f"one item in stock, {sold} sold")
