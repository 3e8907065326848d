"""Django: migrate of its own applications and of ours, the ORM, inspectdb."""

import decimal
import io
import os
import sys

import django
from django.conf import settings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
settings.configure(
    SECRET_KEY="x",
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
                    "django.contrib.admin", "django.contrib.messages", "django_shop"],
    DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"], "USER": os.environ["PGUSER"],
        "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"]}},
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import IntegrityError, connection, transaction  # noqa: E402
from django.db.models import Count, F, Q, Sum  # noqa: E402
from django_shop.models import Author, Book  # noqa: E402

call_command("migrate", verbosity=0)
call_command("migrate", verbosity=0)  # nothing to do
assert "django_shop_book" in connection.introspection.table_names()

user = User.objects.create_user("alice", password="secret")
assert User.objects.get(username="alice").check_password("secret")
knuth = Author.objects.create(name="Knuth", info={"born": 1938})
Book.objects.bulk_create([Book(author=knuth, title=f"Volume {n}", price=decimal.Decimal(n)) for n in range(1, 5)])
assert Book.objects.filter(author__name="Knuth", price__gte=2).count() == 3
assert Book.objects.aggregate(total=Sum("price"))["total"] == 10
assert list(Author.objects.annotate(n=Count("book")).values_list("name", "n")) == [("Knuth", 4)]
assert Book.objects.filter(Q(title__icontains="volume 1") | Q(price=4)).order_by("-price").first().price == 4
assert Author.objects.get(info__born=1938) == knuth
Book.objects.filter(title="Volume 1").update(price=F("price") + 10)
assert Book.objects.get(title="Volume 1").price == 11

with transaction.atomic():
    book = Book.objects.select_for_update().get(title="Volume 2")
    try:
        with transaction.atomic():
            Book.objects.create(author=knuth, title="Volume 2", price=1)
        raise SystemExit("titles are unique")
    except IntegrityError:
        pass
    book.price = 20
    book.save()
assert Book.objects.get(title="Volume 2").price == 20
same, created = Book.objects.get_or_create(title="Volume 3", defaults={"author": knuth, "price": 0})
assert not created and same.price == 3
book, created = Book.objects.update_or_create(title="Volume 9", defaults={"author": knuth, "price": 9})
assert created and book.created is not None
knuth.delete()
assert Book.objects.count() == 0

out = io.StringIO()
call_command("inspectdb", "django_shop_book", "django_shop_author", stdout=out)
text = out.getvalue()
assert "class DjangoShopBook" in text and "author = models.ForeignKey('DjangoShopAuthor'" in text, text
assert "title = models.CharField(unique=True, max_length=100)" in text, text
call_command("migrate", "django_shop", "zero", verbosity=0)
assert "django_shop_book" not in connection.introspection.table_names()
print("Django", django.__version__)
