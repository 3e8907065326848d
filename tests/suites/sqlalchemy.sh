#!/usr/bin/env bash
# SQLAlchemy's own tests against a server: tests/suites/sqlalchemy.sh [--mysql] 127.0.0.1:5433 [file…]
# A line for each file: what passed and what failed. The output of each is in target/suites/sqlalchemy.
# DRIVER is psycopg2, psycopg or asyncpg, and with --mysql pymysql, aiomysql or asyncmy. The server should be a new one: the
# suite drops what it finds.
set -euo pipefail

version=2.0.57
backend=postgresql
if [ "${1:-}" = --mysql ]; then
    backend=mysql
    shift
fi
address=${1:?the address of a server, such as 127.0.0.1:5433}
shift
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
    if [ $backend = mysql ]; then
        files=(test/dialect/mysql)
    else
        files=(test/dialect/postgresql/test_reflection.py test/dialect/postgresql/test_dialect.py
            test/dialect/postgresql/test_on_conflict.py test/dialect/postgresql/test_query.py
            test/dialect/postgresql/test_types.py)
    fi
    files+=(test/dialect/test_suite.py test/engine/test_reflection.py
        test/engine/test_transaction.py test/sql/test_query.py test/sql/test_returning.py test/sql/test_resultset.py
        test/orm/test_unitofwork.py test/orm/test_versioning.py test/orm/test_transaction.py test/orm/dml)
fi

place=${SUITES_DIR:-$(cd "$(dirname "$0")" && pwd)/../../target/suites}/sqlalchemy
mkdir -p "$place"
cd "$place"
if [ ! -d "sqlalchemy-$version" ]; then
    python3 -m venv venv
    venv/bin/pip -q install pytest psycopg2-binary 'psycopg[binary]' asyncpg pymysql aiomysql asyncmy greenlet typing_extensions
    venv/bin/pip -q download --no-binary sqlalchemy --no-deps "sqlalchemy==$version"
    tar xf "sqlalchemy-$version.tar.gz"
    # The suite makes the extensions citext and hstore, which hob has not; their tests are then skipped.
    sed -i 's/text(f"CREATE EXTENSION IF NOT EXISTS {extension}")/text("SELECT 1")/' \
        "sqlalchemy-$version/lib/sqlalchemy/dialects/postgresql/provision.py"
fi

if [ $backend = mysql ]; then
    url="mysql+${DRIVER:-pymysql}://${MYSQL_USER:-root}@$address/sqlalchemy?charset=utf8mb4"
    for database in sqlalchemy test_schema test_schema_2; do
        mariadb -h "${address%:*}" -P "${address##*:}" -u "${MYSQL_USER:-root}" \
            -e "CREATE DATABASE IF NOT EXISTS $database CHARACTER SET utf8mb4"
    done
else
    url="postgresql+${DRIVER:-psycopg2}://${PGUSER:-hob}:hob@$address/${PGDATABASE:-hob}"
    psql -qX "postgresql://${PGUSER:-hob}:hob@$address/${PGDATABASE:-hob}" \
        -c 'CREATE SCHEMA IF NOT EXISTS test_schema' -c 'CREATE SCHEMA IF NOT EXISTS test_schema_2' 2>/dev/null
fi
failed=0
for file in "${files[@]}"; do
    log=$PWD/$backend-$(echo "$file" | tr / .).log
    (cd "sqlalchemy-$version" && timeout "${SUITES_TIMEOUT:-900}" ../venv/bin/python -m pytest -p no:cacheprovider -q \
        --tb=short --maxfail=100000 --disable-warnings --dburi "$url" "$file" >"$log" 2>&1) || failed=1
    printf '%-48s %s\n' "$file" "$(tail -n 1 "$log")"
done
exit $failed
