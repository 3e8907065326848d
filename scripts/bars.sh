#!/usr/bin/env bash
# Every bar of the project at full size, one line each: measured against required. With an argument, those whose name has
# it, a regular expression: scripts/bars.sh '^MySQL'
set -uo pipefail
cd "$(dirname "$0")/.."
failed=0
only=${1:-}
export HOB_FULL=1

wanted() { [[ $1 =~ $only ]]; }

# The lines: name, package, test or bench, and which of the tests if not all.
lines=()
bar() { ! wanted "$1" || lines+=("test"$'\t'"$1"$'\t'"$2"$'\t'"$3"$'\t'"${*:4}"); }
bench() { ! wanted "$1" || lines+=("bench"$'\t'"$1"$'\t'"$2"$'\t'"$3"$'\t'); }
step() { ! wanted "$1" || lines+=("step"$'\t'"$1"$'\t'"$2"$'\t'$'\t'); }

bar "checkers against brute force, 110,000 histories at every level and mixed" hobgoblin-check differential
bar "weaker accepts more, renaming, order, anomalies, minimal witnesses" hobgoblin-check properties
bar "hard instances from SAT, frontier search, limits" hobgoblin-check hard
bar "litmus table and 1,200 labelled histories, every certificate verified" hobgoblin-check corpus
bar "state-based levels" hobgoblin-check state
bar "online checker against brute force" hobgoblin-check online
bar "certificates: right ones accepted, wrong ones rejected" hobgoblin-check verify
bar "list-append against brute force on lists, 6,000 histories" hobgoblin-check list_append
bar "witnesses are smallest, against brute force" hobgoblin-check smallest
bar "suspects are violations" hobgoblin-check suspects
bar "components and candidates of the checker" hobgoblin-check lib
bar "parsers on mutated files" hobgoblin-format mutations
bar "every reader against a slow one, event by event, 3,000 files a format" hobgoblin-format slow
bar "the store against all histories of 2,000 programs, exhaustive over choices" hobgoblin-store complete
bar "the store on random requests, every level and mixed" hobgoblin-store random
bar "the store's rules" hobgoblin-store rules
bar "applications of every day break where they can, and soon under the rotation of policies" hobgoblin-apps everyday
bar "engine profiles keep the level they promise" hobgoblin-store engines
bar "SERIALIZABLE lets nothing through, two to six sessions" hobgoblin-store ssi
bar "the explorer against all histories of 2,100 programs, every level and mixed, pruned and not" hobgoblin-explore oracle
bar "closed forms of the number of histories, calls saved by pruning" hobgoblin-explore closed
bar "the store shows what the explorer finds, 2,000 programs" hobgoblin-explore store
bar "threads, checkpoints and tokens give the same histories" hobgoblin-explore parts
bar "merged states and schedules end where histories end" hobgoblin-explore modes
bar "observed keys against brute force" hobgoblin-explore observed
bar "programs with tables against one key a row" hobgoblin-explore tables
bar "two-phase commit has TLC's states and depths, to 2 × 3; the seeded bug" hobgoblin-protocol two_phase
bar "states of protocols against brute force" hobgoblin-protocol brute
bar "replicated data types against enumeration, 3,000 histories a type; reductions; mistakes" hobgoblin-crdt differential
bar "crdts, automerge and yrs, 200 histories each" hobgoblin-crdt-libraries outcomes
bar "right SQL applications never break, wrong ones do, 2,000 rounds each" hobgoblin-sql alarms
bar "SQL against PostgreSQL, 3,000 statements and more" hobgoblin-sql differential
bar "TPC-C, SmallBank, Voter, Wikipedia: assertions by level" hobgoblin-oltp bars
bar "interleavings of sessions against PostgreSQL, 1,500, 1,500 at SERIALIZABLE, 3,000 with table locks, changes of tables, two-phase commit, timeouts" hobgoblin-sql isolation
bar "the PostgreSQL protocol" hobgoblin-server pg
bar "PostgreSQL's isolationtester on both servers; pgbench of eight clients, two minutes" hobgoblin-server isolation
bar "10,000 random requests over HTTP at every level" hobgoblin-server http
bar "MySQL: 64 recorded scripts at every level, 1,500 random ones beside MariaDB" hobgoblin-sql innodb
bar "MySQL: 3,000 statements and more beside MariaDB" hobgoblin-sql mariadb
bar "MySQL: right applications never break, wrong ones do, 2,000 rounds each; sessions; mutated statements" hobgoblin-sql mysql
bar "MySQL: statements and schemas beside MariaDB's parser" hobgoblin-sql-mysql mariadb
bar "MySQL: functions beside MariaDB" hobgoblin-sql-mysql-functions expressions
bar "MySQL: weights of all characters, aggregates beside MariaDB" hobgoblin-sql-mysql-functions aggregates
bar "MySQL: the protocol beside MariaDB, hostile packets" hobgoblin-wire mysql
bar "MySQL: sessions over sockets, hostile and lost clients, pools" hobgoblin-server mysql
bar "MySQL: twelve clients, unmodified" hob mysql_clients
bar "a million rows by COPY in 160 bytes each and 300 MB, results sent while found" hob memory
bar "every part answers or refuses every level" hob cli levels
bar "the rows and the mistake that are told" hobgoblin-runner stories
bar "intervals cover what they say, 20,000 trials" hobgoblin-runner lib
bar "snapshots keep catalogue and rows of every script" hobgoblin-sql snapshot

step "pages in Chromium" pages
bench "speed: the checker" hob table
bench "speed: the store" hob store
bench "speed: policies" hobgoblin-apps policies
bench "speed: HTTP" hobgoblin-server http
bench "speed: statements" hobgoblin-sql statements
bench "speed: the PostgreSQL protocol" hobgoblin-server pg
bench "speed: the MySQL protocol" hobgoblin-server mysql
bench "speed: large tables against PostgreSQL" hobgoblin-server against
step "speed: TPC-C" scripts/tpcc.sh
bench "speed: overhead of hob test" hobgoblin-runner overhead
bench "speed: the explorer" hobgoblin-explore explore
bench "speed: protocols" hobgoblin-protocol states
bench "speed: replicated data types" hobgoblin-crdt speed
bench "speed: the prover" hobgoblin-prove table

pages() {
  local start out
  start=$(date +%s)
  if out=$(scripts/ui.sh --check && scripts/ui-test.sh 2>&1); then
    printf 'pages in Chromium, 100,000 rows scroll and filter: %s; required: all pass, 100 ms a step (%s s)\n' \
      "$(grep -oE '[0-9]+ passed|skipped: .*' <<<"$out" | tail -1)" $(($(date +%s) - start))
  else
    printf 'pages in Chromium: FAILED; required: all pass\n'
    tail -30 <<<"$out" >&2
    return 1
  fi
}

# Builds the tests or benches that are wanted, of all packages at once: for one package alone cargo builds the libraries below
# it again, with the features of that package. Prints kind, package, target, executable and directory of each.
build() {
  local kind=$1 line flags=()
  for line in "${lines[@]}"; do
    IFS=$'\t' read -r is _ _ target _ <<<"$line"
    if [ "$is" = "$kind" ] && [ "$target" != lib ]; then flags+=("--$kind" "$target"); fi
  done
  [ "${#flags[@]}" -gt 0 ] || return 0
  cargo "$kind" $([ "$kind" = bench ] || echo --release) --quiet --workspace --no-run --message-format=json "${flags[@]}" |
    python3 -c '
import json, os, sys
for line in sys.stdin:
    built = json.loads(line)
    if built.get("executable"):
        package = built["package_id"].rsplit("#", 1)[1].split("@")[0]
        folder = os.path.dirname(built["manifest_path"])
        package = package if package[:1].isalpha() else os.path.basename(folder)
        print(built["target"]["kind"][0], package, built["target"]["name"], built["executable"], folder, sep="\t")'
}

# Runs one of what was built, as cargo would.
run() {
  local kind=$1 package=$2 target=$3 executable folder
  if [ "$target" = lib ]; then
    cargo test --release --quiet --package "$package" --lib -- "${@:4}"
    return
  fi
  IFS=$'\t' read -r executable folder < <(awk -F '\t' -v k="$kind" -v p="$package" -v t="$target" '$1 == k && $2 == p && $3 == t { print $4 "\t" $5 }' <<<"$built")
  [ -n "$executable" ] || { echo "no $kind $target in $package"; return 1; }
  (cd "$folder" && CARGO_MANIFEST_DIR=$folder CARGO_PKG_NAME=$package "$executable" "${@:4}")
}

[ "${#lines[@]}" -gt 0 ] || { echo "bars: no line has $only" >&2; exit 2; }
built=$(build test) || exit 1
built+=$'\n'$(build bench) || exit 1
for line in "${lines[@]}"; do
  IFS=$'\t' read -r kind name package target which <<<"$line"
  case $kind in
    step) "$package" || failed=1 ;;
    bench) run bench "$package" "$target" --bench --bars || failed=1 ;;
    test)
      start=$(date +%s)
      # shellcheck disable=SC2086
      if out=$(run test "$package" "$target" $which 2>&1); then
        printf '%s: %s; required: all pass (%s s)\n' "$name" "$(grep -o '[0-9]* passed' <<<"$out" | tail -1)" $(($(date +%s) - start))
      else
        printf '%s: FAILED; required: all pass\n' "$name"
        tail -30 <<<"$out" >&2
        failed=1
      fi
      ;;
  esac
done
exit $failed
