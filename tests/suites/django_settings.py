"""Settings for Django's own tests on a server at HOST:PORT, given as DJANGO_ADDRESS."""

import os

host, port = os.environ["DJANGO_ADDRESS"].rsplit(":", 1)


def database(name):
    return {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": host,
        "PORT": port,
        "USER": os.environ.get("PGUSER", "postgres"),
        "NAME": "postgres",
        "TEST": {"NAME": name},
    }


DATABASES = {"default": database("django_tests"), "other": database("django_tests_other")}
SECRET_KEY = "not a secret"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = False
