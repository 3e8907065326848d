#!/usr/bin/env bash
# Installs what the tests need beyond a Rust toolchain, where it may, and names what it could not. The tests
# that need something else that is missing skip it and say so.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo >/dev/null || { echo "setup: cargo is missing; install Rust 1.95 or newer from https://rustup.rs" >&2; exit 2; }

skipped() { echo "setup: not installed: $1; tests that need it are skipped and say so" >&2; }

# Debian packages the tests need, as "file or command:package".
needed=(
  psql:postgresql pgbench:postgresql sysbench:sysbench python3:python3-venv node:nodejs npm:npm java:default-jre-headless
  chromium:chromium fc-match:fontconfig /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fonts-dejavu-core openssl:openssl z3:z3 cvc5:cvc5 /usr/share/java/postgresql.jar:libpostgresql-jdbc-java
  /usr/sbin/mariadbd:mariadb-server mariadb:mariadb-client /usr/share/java/mariadb-java-client.jar:libmariadb-java
  /usr/share/doc/python3-venv:python3-venv
)

missing=()
for pair in "${needed[@]}"; do
  what=${pair%%:*}
  case $what in
    /usr/share/doc/*) python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=("${pair##*:}") ;;
    /*) [ -e "$what" ] || missing+=("${pair##*:}") ;;
    *) command -v "$what" >/dev/null || missing+=("${pair##*:}") ;;
  esac
done
if [ "${#missing[@]}" -gt 0 ]; then
  mapfile -t missing < <(printf '%s\n' "${missing[@]}" | sort -u)
  if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >/dev/null ||
      skipped "${missing[*]} (apt-get failed)"
  else
    skipped "${missing[*]} (not root)"
  fi
fi

# Clients of other languages, below target/clients. Each is installed once.
clients=target/clients
mkdir -p "$clients"
if ! [ -e "$clients/venv/ready-1" ]; then
  if python3 -m venv "$clients/venv" >/dev/null 2>&1 &&
    "$clients/venv/bin/pip" install --quiet --disable-pip-version-check psycopg2-binary 'psycopg[binary]' \
      asyncpg sqlalchemy greenlet 'django<6' >/dev/null 2>&1; then
    touch "$clients/venv/ready-1"
  else
    skipped "psycopg, asyncpg, SQLAlchemy and Django (pip failed)"
  fi
fi
if ! [ -e "$clients/venv/mysql-1" ]; then
  if { [ -x "$clients/venv/bin/pip" ] || python3 -m venv "$clients/venv" >/dev/null 2>&1; } &&
    "$clients/venv/bin/pip" install --quiet --disable-pip-version-check pymysql mysql-connector-python \
      aiomysql >/dev/null 2>&1; then
    touch "$clients/venv/mysql-1"
  else
    skipped "PyMySQL, mysql-connector and aiomysql (pip failed)"
  fi
fi
if ! [ -e "$clients/node/node_modules/mysql2" ]; then
  npm install --silent --no-fund --no-audit --prefix "$clients/node" mysql2@3 >/dev/null 2>&1 || skipped "node mysql2 (npm failed)"
fi
if ! [ -e "$clients/node/node_modules/pg" ]; then
  npm install --silent --no-fund --no-audit --prefix "$clients/node" pg@8 >/dev/null 2>&1 || skipped "node pg (npm failed)"
fi
CARGO_TARGET_DIR=$clients/rust cargo build --quiet --manifest-path tests/clients/rust/Cargo.toml ||
  skipped "sqlx (cargo failed)"

# Schemas of applications, from their packages.
[ -d target/mysql-schemas ] || { command -v apt-get >/dev/null && scripts/mysql-schemas.sh; } ||
  skipped "schemas of WordPress, MediaWiki, Zabbix and others (apt-get download failed)"
