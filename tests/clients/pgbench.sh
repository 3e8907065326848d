#!/bin/sh
# pgbench: its tables, then its transactions in each of its three modes.
set -eu
pgbench -i -q -s 1 2>&1 | tail -1
for mode in simple extended prepared; do
  pgbench -n -M "$mode" -c 2 -j 1 -t "${PGBENCH_TRANSACTIONS:-50}" --max-tries=100 >"${TMPDIR:-/tmp}/pgbench.$$" 2>&1 || { cat "${TMPDIR:-/tmp}/pgbench.$$"; exit 1; }
  grep -E 'query mode|actually processed|tps' "${TMPDIR:-/tmp}/pgbench.$$"
  grep -q 'number of failed transactions: 0' "${TMPDIR:-/tmp}/pgbench.$$"
  pgbench -n -S -M "$mode" -c 2 -j 1 -t "${PGBENCH_TRANSACTIONS:-50}" >/dev/null 2>&1
done
rm -f "${TMPDIR:-/tmp}/pgbench.$$"
[ "$(psql -XAt -c 'SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(delta) FROM pgbench_history)')" = t ]
