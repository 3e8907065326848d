#!/usr/bin/env bash
# Django's own tests against a server: tests/suites/django.sh [--mysql] 127.0.0.1:5433 [module…]
# A line for each module: how many tests, how long, what failed. The output of each is in target/suites/django.
set -euo pipefail

version=4.2.30
backend=postgresql
if [ "${1:-}" = --mysql ]; then
    backend=mysql
    shift
fi
address=${1:?the address of a server, such as 127.0.0.1:5433}
shift
modules=("$@")
if [ ${#modules[@]} -eq 0 ]; then
    modules=(basic queries aggregation aggregation_regress annotations expressions expressions_case expressions_window
        db_functions lookup ordering select_for_update transactions transaction_hooks bulk_create update delete
        delete_regress many_to_many many_to_one one_to_one m2m_regress constraints indexes schema migrations
        introspection inspectdb backends get_or_create model_fields model_inheritance custom_pk datatypes dates
        datetimes timezones defer distinct_on_fields from_db_value null_queries or_lookups prefetch_related raw_query
        select_related sessions_tests fixtures serializers force_insert_update known_related_objects
        generic_relations postgres_tests)
fi

here=$(cd "$(dirname "$0")" && pwd)
place=${SUITES_DIR:-$here/../../target/suites}/django
mkdir -p "$place"
cd "$place"
if [ ! -d "django-$version" ]; then
    python3 -m venv venv
    venv/bin/pip -q install psycopg2-binary pymysql asgiref sqlparse tzdata
    venv/bin/pip -q download --no-binary :all: --no-deps "django==$version"
    tar xf [dD]jango-$version.tar.gz
    venv/bin/pip -q install -e [dD]jango-$version
fi

export DJANGO_BACKEND=$backend DJANGO_ADDRESS=$address PYTHONPATH=$here
failed=0
for module in "${modules[@]}"; do
    log=$PWD/$backend-$module.log
    (cd [dD]jango-$version/tests &&
        timeout "${SUITES_TIMEOUT:-600}" ../../venv/bin/python runtests.py --settings=django_settings --parallel 1 \
            --noinput "$module" >"$log" 2>&1) || failed=1
    printf '%-24s %s %s\n' "$module" "$(grep -E '^Ran ' "$log" || echo 'did not run')" \
        "$(grep -E '^(OK|FAILED)' "$log" || true)"
done
exit $failed
