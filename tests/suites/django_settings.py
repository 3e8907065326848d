"""Settings for Django's own tests on a server of DJANGO_BACKEND at HOST:PORT, given as DJANGO_ADDRESS."""

import os

backend = os.environ.get("DJANGO_BACKEND", "postgresql")
host, port = os.environ["DJANGO_ADDRESS"].rsplit(":", 1)

if backend == "mysql":
    import pymysql

    # Django asks for a version of mysqlclient, which PyMySQL stands in for.
    pymysql.version_info = (2, 2, 1, "final", 0)
    pymysql.install_as_MySQLdb()


def database(name):
    settings = {
        "ENGINE": f"django.db.backends.{backend}",
        "HOST": host,
        "PORT": int(port),
        "USER": os.environ.get("PGUSER", "postgres"),
        "NAME": "postgres",
        "TEST": {"NAME": name},
    }
    if backend == "mysql":
        settings |= {"USER": os.environ.get("MYSQL_USER", "root"), "NAME": "test"}
        settings["TEST"]["CHARSET"] = "utf8mb4"
    return settings


DATABASES = {"default": database("django_tests"), "other": database("django_tests_other")}
SECRET_KEY = "not a secret"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = False
