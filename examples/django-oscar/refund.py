"""Two refunds of 10 for one payment at the same time, by django-oscar's own `Source.refund`."""

import logging
import sys
import threading
from decimal import Decimal

import django

django.setup()
logging.disable(logging.CRITICAL)

from django.db import connection, transaction  # noqa: E402
from oscar.core.loading import get_model  # noqa: E402

Source = get_model("payment", "Source")


def refund():
    with transaction.atomic():
        Source.objects.get(pk=1).refund(Decimal(10))
    connection.close()


threads = [threading.Thread(target=refund) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()

source = Source.objects.get(pk=1)
paid = sum(t.amount for t in source.transactions.filter(txn_type="Refund"))
print(f"recorded as refunded: {source.amount_refunded}, refunded: {paid}")
if source.amount_refunded != paid:
    sys.exit("a refund is lost")
