#!/usr/bin/env bash
# TPC-C through the protocols of PostgreSQL and MySQL: two clients against hob, and against PostgreSQL and MariaDB on this
# machine. hob may be ten times slower.
set -euo pipefail
cd "$(dirname "$0")/.."
cargo build --release --quiet --package hob --package hobgoblin-oltp
data=$(mktemp -d)
started=()
end() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done
  [ ! -d "$data/postgres" ] || (cd / && "${as_user[@]}" "$bin/pg_ctl" -D "$data/postgres" -m immediate stop >/dev/null 2>&1) || true
  wait
  rm -rf "$data"
}
trap end EXIT
port=5496

# hob with a protocol, on a port.
hob() {
  target/release/hob serve --hold 0s "--$1" "127.0.0.1:$2" --level "$3" >/dev/null 2>&1 &
  started+=($!)
  await "$2"
}
await() { until (: >"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do sleep 0.1; done; }
rate() { target/release/hobgoblin-oltp speed "--$1" "127.0.0.1:$2" | sed 's/.*: \([0-9]*\) statements.*/\1/'; }
compare() {
  awk -v name="$1" -v ours="$2" -v theirs="$3" 'BEGIN {
    printf "TPC-C, two sessions: hob %d statements/s, %s %d; %s is %.1f times as fast; required: at most 10\n", ours, name, theirs, name, theirs / ours
    exit theirs > 10 * ours
  }'
}

failed=0
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
if [ -n "$bin" ]; then
  as_user=()
  if [ "$(id -u)" -eq 0 ]; then
    chown postgres "$data"
    as_user=(runuser -u postgres --)
  fi
  (
    cd /
    "${as_user[@]}" "$bin/initdb" -D "$data/postgres" -A trust -U postgres >/dev/null
    "${as_user[@]}" "$bin/pg_ctl" -D "$data/postgres" -o "-p $((port + 1)) -k $data -c listen_addresses=127.0.0.1" \
      -l "$data/log" -w start >/dev/null
  )
  hob pg $port read-committed
  theirs=$(rate pg $((port + 1)))
  compare PostgreSQL "$(rate pg $port)" "$theirs" || failed=1
else
  echo "TPC-C: skipped, PostgreSQL is not installed (make setup)"
fi
port=$((port + 2))
PATH=$PATH:/usr/sbin
if command -v mariadbd >/dev/null; then
  as_root=()
  [ "$(id -u)" -ne 0 ] || as_root=(--user=root)
  mkdir "$data/temporary"
  export TMPDIR=$data/temporary
  mariadb-install-db --no-defaults --skip-test-db --auth-root-authentication-method=normal "${as_root[@]}" \
    "--datadir=$data/mariadb" >/dev/null
  echo "create database test;" >"$data/setup.sql"
  mariadbd --no-defaults "${as_root[@]}" --bind-address=127.0.0.1 --port=$((port + 1)) "--datadir=$data/mariadb" \
    "--socket=$data/socket" "--pid-file=$data/pid" "--init-file=$data/setup.sql" 2>/dev/null &
  started+=($!)
  await $((port + 1))
  hob mysql $port repeatable-read
  theirs=$(rate mysql $((port + 1)))
  compare MariaDB "$(rate mysql $port)" "$theirs" || failed=1
else
  echo "TPC-C: skipped, MariaDB is not installed (make setup)"
fi
exit $failed
