#!/usr/bin/env bash
# SQLAlchemy's own tests against a server: tests/suites/sqlalchemy.sh 127.0.0.1:5433 [file…]
# A line for each file: what passed and what failed. The output of each is in target/suites/sqlalchemy.
# DRIVER is psycopg2, psycopg or asyncpg. The server should be a new one: the suite drops what it finds.
set -euo pipefail

version=2.0.57
address=${1:?the address of a server, such as 127.0.0.1:5433}
shift
files=("$@")
if [ ${#files[@]} -eq 0 ]; then
    files=(test/dialect/postgresql/test_reflection.py test/dialect/postgresql/test_dialect.py
        test/dialect/postgresql/test_on_conflict.py test/dialect/postgresql/test_query.py
        test/dialect/postgresql/test_types.py test/dialect/test_suite.py test/engine/test_reflection.py
        test/engine/test_transaction.py test/sql/test_query.py test/sql/test_returning.py test/sql/test_resultset.py
        test/orm/test_unitofwork.py test/orm/test_versioning.py test/orm/test_transaction.py test/orm/dml)
fi

place=${SUITES_DIR:-$(cd "$(dirname "$0")" && pwd)/../../target/suites}/sqlalchemy
mkdir -p "$place"
cd "$place"
if [ ! -d "sqlalchemy-$version" ]; then
    python3 -m venv venv
    venv/bin/pip -q install pytest psycopg2-binary 'psycopg[binary]' asyncpg greenlet typing_extensions
    venv/bin/pip -q download --no-binary sqlalchemy --no-deps "sqlalchemy==$version"
    tar xf "sqlalchemy-$version.tar.gz"
    # The suite makes the extensions citext and hstore, which hob has not; their tests are then skipped.
    sed -i 's/text(f"CREATE EXTENSION IF NOT EXISTS {extension}")/text("SELECT 1")/' \
        "sqlalchemy-$version/lib/sqlalchemy/dialects/postgresql/provision.py"
fi

url="postgresql+${DRIVER:-psycopg2}://${PGUSER:-hob}:hob@$address/${PGDATABASE:-hob}"
psql -qX "postgresql://${PGUSER:-hob}:hob@$address/${PGDATABASE:-hob}" \
    -c 'CREATE SCHEMA IF NOT EXISTS test_schema' -c 'CREATE SCHEMA IF NOT EXISTS test_schema_2' 2>/dev/null
failed=0
for file in "${files[@]}"; do
    log=$PWD/$(echo "$file" | tr / .).log
    (cd "sqlalchemy-$version" && timeout "${SUITES_TIMEOUT:-900}" ../venv/bin/python -m pytest -p no:cacheprovider -q \
        --tb=short --maxfail=100000 --disable-warnings --dburi "$url" "$file" >"$log" 2>&1) || failed=1
    printf '%-48s %s\n' "$file" "$(tail -n 1 "$log")"
done
exit $failed
