#!/bin/sh
# pgbench: its tables, then its transactions in each of its three modes.
set -eu
out=$(mktemp)
trap 'rm -f "$out"' EXIT
run() { pgbench "$@" >"$out" 2>&1 || { cat "$out"; exit 1; }; }
count=${PGBENCH_TRANSACTIONS:-50}
run -i -q -s 1
for mode in simple extended prepared; do
  run -n -M "$mode" -c 2 -j 1 -t "$count" --max-tries=100
  grep -E 'query mode|actually processed|tps' "$out"
  grep -q 'number of failed transactions: 0' "$out"
  run -n -S -M "$mode" -c 2 -j 1 -t "$count"
done
[ "$(psql -XAt -c 'SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(delta) FROM pgbench_history)')" = t ]
