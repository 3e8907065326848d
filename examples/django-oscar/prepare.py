"""Makes the shop: one item in stock of one product, an offer for the first customer only, four customers with full
baskets who have come to the last page of the checkout, and a payment of 100 that can be refunded."""

import logging
from decimal import Decimal

import django

django.setup()
logging.disable(logging.CRITICAL)

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.test import Client  # noqa: E402
from oscar.core.loading import get_model  # noqa: E402
from oscar.test import factories  # noqa: E402

call_command("migrate", verbosity=0)
call_command("flush", interactive=False, verbosity=0)

Country = get_model("address", "Country")
Country.objects.create(iso_3166_1_a2="GB", printable_name="UK", is_shipping_country=True)

goods = factories.ProductClassFactory(name="goods", requires_shipping=True, track_stock=True)
partner = factories.PartnerFactory(name="partner")
products = {}
for sku, stock in (("last", 1), ("many", 100)):
    products[sku] = factories.ProductFactory(title=sku, product_class=goods, stockrecords=None)
    factories.StockRecordFactory(
        product=products[sku],
        partner=partner,
        partner_sku=sku,
        price=Decimal("10.00"),
        num_in_stock=stock,
    )

Range, Benefit, Condition, Offer = (
    get_model("offer", name) for name in ("Range", "Benefit", "Condition", "ConditionalOffer")
)
many = Range.objects.create(name="many")
many.add_product(products["many"])
Offer.objects.create(
    name="first customer",
    offer_type="Site",
    max_global_applications=1,
    condition=Condition.objects.create(range=many, type="Count", value=1),
    benefit=Benefit.objects.create(range=many, type="Percentage", value=50),
)

ADDRESS = {
    "last_name": "X",
    "line1": "1",
    "line4": "London",
    "postcode": "N1 9RT",
    "country": "GB",
}


def expect(response, status):
    assert response.status_code == status, (response.status_code, response.headers)


for name, sku in (("alice", "last"), ("bob", "last"), ("carol", "many"), ("dave", "many")):
    user = User.objects.create_user(name, f"{name}@example.com", "pw")
    client = Client()
    client.force_login(user, backend="oscar.apps.customer.auth_backends.EmailBackend")
    expect(client.post(f"/en-gb/basket/add/{products[sku].pk}/", {"quantity": 1}), 302)
    address = {"first_name": name, **ADDRESS}
    expect(client.post("/en-gb/checkout/shipping-address/", address), 302)
    expect(client.get("/en-gb/checkout/shipping-method/"), 302)
    expect(client.get("/en-gb/checkout/preview/"), 200)

Source, SourceType = get_model("payment", "Source"), get_model("payment", "SourceType")
Source.objects.create(
    order=factories.create_order(number="refunded"),
    source_type=SourceType.objects.create(name="card"),
    amount_allocated=Decimal(100),
    amount_debited=Decimal(100),
)
