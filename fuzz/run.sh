#!/bin/sh
# Runs every fuzz target for a while, on the stable toolchain: fuzz/run.sh [SECONDS_PER_TARGET [TARGET...]]
# One target by hand:  cargo fuzz run -s none TARGET
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -gt 0 ] && shift
command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz --locked
targets=${*:-$(cargo fuzz list)}

# The corpus of the project is where every target starts from.
seeds() {
    rm -rf "fuzz/target/seeds/$1"
    mkdir -p "fuzz/target/seeds/$1" "fuzz/corpus/$1"
    for file in corpus/formats/* corpus/litmus/*.txn corpus/fuzz/*; do
        [ -f "$file" ] && cp "$file" "fuzz/target/seeds/$1/"
    done
    for logs in corpus/formats/*-cobra; do
        name=fuzz/target/seeds/$1/$(basename "$logs")
        : >"$name"
        for log in "$logs"/*.log; do
            [ -s "$name" ] && printf '====' >>"$name"
            cat "$log" >>"$name"
        done
    done
    [ "$1" = sql ] && split -l 1 crates/sql/tests/data/expressions.sql "fuzz/target/seeds/$1/expression-"
    [ "$1" = plpgsql ] && cp crates/plpgsql/tests/golden/*.sql "fuzz/target/seeds/$1/" && split -l 1 crates/plpgsql/tests/errors.txt "fuzz/target/seeds/$1/error-"
    { [ "$1" = mysql_parse ] || [ "$1" = mysql ]; } && grep -h '"sql"' corpus/mysql/statements.json | sed 's/^ *"sql": "/ /; s/",$//' | split -l 1 - "fuzz/target/seeds/$1/statement-"
    [ "$1" = mysql ] && cat crates/sql/tests/mariadb/*.sql | sed 's/^/ /' | split -l 1 - "fuzz/target/seeds/$1/script-"
    [ "$1" = explore_text ] && cp examples/explore/*.hob "fuzz/target/seeds/$1/"
    head -n 50 corpus/random/labelled.jsonl | split -l 1 - "fuzz/target/seeds/$1/random-"
}

failed=
for target in $targets; do
    echo "== $target, $seconds s"
    seeds "$target"
    log=fuzz/target/$target.log
    if cargo fuzz run -s none "$target" "fuzz/corpus/$target" "fuzz/target/seeds/$target" -- \
        -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        coverage=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
        echo "   no findings in $runs runs, coverage $coverage"
    else
        failed="$failed $target"
        tail -n 40 "$log"
    fi
done
if [ -n "$failed" ]; then
    echo "findings:$failed (inputs in fuzz/artifacts; fix, then keep them in corpus/fuzz)"
    exit 1
fi
echo "no findings"
