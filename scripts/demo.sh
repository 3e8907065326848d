#!/usr/bin/env bash
# Shows what `hob check` says of three small histories and of a large one with a bug hidden in it.
set -uo pipefail
cd "$(dirname "$0")/.."
hob=target/release/hob

bold='' plain=''
[ -t 1 ] && bold=$'\033[1m' plain=$'\033[0m'
show() { printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"; "$@"; }
hob_() { show "$hob" "$@"; }

cat <<'TEXT'
Hobgoblin shows what weak transaction isolation can do to your data.

A shopping cart, changed from two browser tabs at once. Which isolation levels allow what happened?
TEXT
sed -n '3,$p' examples/cart.txn
hob_ check examples/cart.txn

cat <<'TEXT'

A comment that answers a post its reader cannot see:
TEXT
hob_ check --level causal examples/comments.jsonl

cat <<'TEXT'

And a lost update hidden among 100,000 transactions:
TEXT
big=$(mktemp --suffix=.plume)
trap 'rm -f "$big"' EXIT
hob_ gen --events 1000000 --sessions 50 --anomaly lost-update --seed 7 --output "$big"
hob_ check --level snapshot --verify "$big"
cat <<'TEXT'

Try your own: hob check FILE (docs/formats.md lists what it reads), or hob --help.
TEXT
exit 0
