#!/usr/bin/env bash
# Shows a bug that `hob test` finds in a shopping cart, what `hob explore` proves of one, and what `hob check`
# says of recorded histories.
set -uo pipefail
cd "$(dirname "$0")/.."
hob=target/release/hob

bold='' plain=''
[ -t 1 ] && bold=$'\033[1m' plain=$'\033[0m'
show() { printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"; "$@"; }
hob_() { show "$hob" "$@"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat <<'TEXT'
Hobgoblin shows what weak transaction isolation can do to your data.

A shopping cart. One client removes the shoes and looks twice, another adds three pairs and looks twice. Its test passes
on every database you are likely to try. hob test runs it against a store that, at every read, returns any value that
read committed allows:
TEXT
hob_ test --level read-committed --until-fail --out "$scratch" -- target/release/cart

cat <<'TEXT'

The run can be had again, as often as it takes to understand it:
TEXT
show sh -c "$hob test --replay $scratch/RC-seed*.log.jsonl --yes | head -6"

cat <<'TEXT'

An application over SQL: two students, one seat. It speaks PostgreSQL's protocol and does not know that the server is
Hobgoblin, which allows what PostgreSQL allows at READ COMMITTED, but makes transactions overlap:
TEXT
hob_ test --level read-committed --until-fail --out "$scratch" --report target/demo.html -- target/release/seats

cat <<'TEXT'

The same application, taking the seat and looking whether there is one in a single UPDATE, is right at READ COMMITTED:
TEXT
hob_ test --level read-committed --runs 100 --out "$scratch" -- target/release/seats --fixed

cat <<'TEXT'

A test can only fail. Exploring every behaviour of a small program can prove, here that a cart is safe at serializability:
TEXT
hob_ explore examples/explore/cart.hob --level serializable

cat <<'TEXT'

Histories that were recorded elsewhere are checked. A cart, changed from two browser tabs at once:
TEXT
sed -n '3,$p' examples/cart.txn
hob_ check examples/cart.txn

cat <<'TEXT'

And a lost update hidden among 100,000 transactions:
TEXT
hob_ gen --events 1000000 --sessions 50 --anomaly lost-update --seed 7 --output "$scratch/big.plume"
hob_ check --level snapshot --verify "$scratch/big.plume"
cat <<'TEXT'

What went wrong with the seat is also a page, to be opened in a browser: target/demo.html

Try your own: hob test -- COMMAND (docs/test.md), hob explore FILE (docs/explore.md), hob check FILE (docs/formats.md), or hob --help.
TEXT
exit 0
