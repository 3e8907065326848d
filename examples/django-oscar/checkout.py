"""Two customers press "place order" at the same time: `python checkout.py alice bob`.

Alice and Bob both want the last item; Carol and Dave both want the discount of the first customer. With `--fixed`
an item is allocated by one conditional UPDATE.
"""

import logging
import sys
import threading

import django

django.setup()
logging.disable(logging.CRITICAL)

from django.contrib.auth.models import User  # noqa: E402
from django.contrib.sessions.models import Session  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import F  # noqa: E402
from django.db.models.functions import Coalesce  # noqa: E402
from django.test import Client  # noqa: E402
from oscar.apps.partner.exceptions import InvalidStockAdjustment  # noqa: E402
from oscar.core.loading import get_model  # noqa: E402

Order, StockRecord, Offer, Discount = (
    get_model(*name)
    for name in (
        ("order", "Order"),
        ("partner", "StockRecord"),
        ("offer", "ConditionalOffer"),
        ("order", "OrderDiscount"),
    )
)


def allocate_if_there(self, quantity):
    allocated = Coalesce(F("num_allocated"), 0) + quantity
    record = StockRecord.objects.filter(pk=self.pk, num_in_stock__gte=allocated)
    if not record.update(num_allocated=allocated):
        raise InvalidStockAdjustment("sold out")


if "--fixed" in sys.argv:
    StockRecord.allocate = allocate_if_there

customers = [name for name in sys.argv[1:] if not name.startswith("-")]
ids = {str(user.pk): user.username for user in User.objects.filter(username__in=customers)}
cookies = {}
for session in Session.objects.order_by("session_key"):
    name = ids.get(session.get_decoded().get("_auth_user_id"))
    if name:
        cookies[name] = session.session_key
connection.close()

answers = {}
together = threading.Barrier(len(customers))


def place_order(name):
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = cookies[name]
    together.wait()
    response = client.post("/en-gb/checkout/preview/", {"action": "place_order"})
    answers[name] = (response.status_code, response.headers.get("Location"))
    connection.close()


threads = [threading.Thread(target=place_order, args=(name,)) for name in customers]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

orders = Order.objects.exclude(number="refunded").count()
last, offer = StockRecord.objects.get(partner_sku="last"), Offer.objects.get()
given = Discount.objects.count()
print(f"{answers}; orders: {orders}")
print(f"last item: in stock {last.num_in_stock}, allocated {last.num_allocated}")
print(f"offer: limit {offer.max_global_applications}, recorded {offer.num_applications}, given {given}")
if (last.num_allocated or 0) > last.num_in_stock:
    sys.exit("the last item was sold twice")
if given > offer.max_global_applications:
    sys.exit("the offer was given more often than its limit")
