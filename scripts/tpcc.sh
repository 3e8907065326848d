#!/usr/bin/env bash
# TPC-C through the PostgreSQL protocol: one client against hob and against PostgreSQL on this machine. hob may be ten
# times slower.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -1)
[ -n "$bin" ] || { echo "TPC-C: skipped, PostgreSQL is not installed (make setup)"; exit 0; }
cargo build --release --quiet --package hob --package hobgoblin-oltp
data=$(mktemp -d)
as_user=()
if [ "$(id -u)" -eq 0 ]; then
  chown postgres "$data"
  as_user=(runuser -u postgres --)
fi
end() {
  kill "$hob" 2>/dev/null || true
  (cd / && "${as_user[@]}" "$bin/pg_ctl" -D "$data/d" -m immediate stop >/dev/null 2>&1) || true
  rm -rf "$data"
}
hob=0
trap end EXIT
port=5497
(
  cd /
  "${as_user[@]}" "$bin/initdb" -D "$data/d" -A trust -U postgres >/dev/null
  "${as_user[@]}" "$bin/pg_ctl" -D "$data/d" -o "-p $port -k $data -c listen_addresses=127.0.0.1" \
    -l "$data/log" -w start >/dev/null
)
target/release/hob serve --hold 0s --pg 127.0.0.1:$((port - 1)) >/dev/null &
hob=$!
until (: >/dev/tcp/127.0.0.1/$((port - 1))) 2>/dev/null; do sleep 0.1; done
rate() { target/release/hobgoblin-oltp speed --pg "127.0.0.1:$1" | sed 's/.*: \([0-9]*\) statements.*/\1/'; }
theirs=$(rate "$port")
ours=$(rate $((port - 1)))
awk -v ours="$ours" -v theirs="$theirs" 'BEGIN {
  printf "TPC-C, two sessions: hob %d statements/s, PostgreSQL %d; PostgreSQL is %.1f times as fast; required: at most 10\n", ours, theirs, theirs / ours
  exit theirs > 10 * ours
}'
