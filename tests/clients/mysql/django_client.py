"""Django: models, migrations, transactions, select_for_update, over PyMySQL in the place of mysqlclient."""
import sys

import pymysql

host, port, user, password = sys.argv[1:5]
pymysql.version_info = (2, 2, 4, "final", 0)
pymysql.install_as_MySQLdb()

import django
from django.conf import settings

settings.configure(
    DATABASES={"default": {"ENGINE": "django.db.backends.mysql", "NAME": "shop", "USER": user, "PASSWORD": password,
                           "HOST": host, "PORT": port, "OPTIONS": {"charset": "utf8mb4"}}},
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth"], DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", USE_TZ=True)
django.setup()

from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.models import Count

call_command("migrate", verbosity=0)
Group.objects.all().delete()
User.objects.all().delete()
groups = Group.objects.bulk_create([Group(name=f"group {i}") for i in range(3)])
for name in ("ann", "bob"):
    User.objects.create_user(name, f"{name}@example.org", "pw")
ann = User.objects.get(username="ann")
ann.groups.set(Group.objects.filter(name__endswith="1"))
print(list(User.objects.filter(groups__name__contains="group").values_list("username", "groups__name")))
print(list(Group.objects.annotate(n=Count("user")).order_by("name").values_list("name", "n")))
try:
    with transaction.atomic():
        User.objects.create_user("ann")
except IntegrityError as error:
    print(error.args)
with transaction.atomic():
    bob = User.objects.select_for_update().get(username="bob")
    bob.first_name = "Bob"
    bob.save(update_fields=["first_name"])
print(User.objects.get(username="bob").first_name, User.objects.count())
print(Group.objects.get_or_create(name="group 9")[1], Group.objects.get_or_create(name="group 9")[1])
print(Group.objects.filter(name="group 9").update(name="group 8"), Group.objects.all().delete()[0])
with connection.cursor() as cursor:
    print(sorted(t.name for t in connection.introspection.get_table_list(cursor)))
call_command("flush", interactive=False, verbosity=0)
call_command("migrate", "auth", "zero", verbosity=0)
call_command("migrate", "contenttypes", "zero", verbosity=0)
