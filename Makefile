# The commands of the project. `make demo` and `make test` are the two a newcomer needs.

CARGO ?= cargo
HOB = target/release/hob
# nextest builds and runs tests faster where it is installed.
NEXTEST := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)
# The library is tested with all it has.
FEATURES = --features hobgoblin/crdt,hobgoblin/explore,hobgoblin/formats,hobgoblin/postgres,hobgoblin/protocol,hobgoblin/serde

.PHONY: demo dist test setup bars bench fuzz lint unit doc embedded ui docs-pictures release clean

# The binary and the applications of the demo, in one build, with the commands that it shows.
demo:
	$(CARGO) build --release --config scripts/demo.toml --no-default-features --package hob --package hobgoblin-apps --package hobgoblin-oltp --bin hob --bin cart --bin seats
	@scripts/demo.sh

release:
	$(CARGO) build --release --quiet --package hob --package hobgoblin-apps --package hobgoblin-oltp

# The binary as it is published: the optimizer sees all crates at once.
dist:
	$(CARGO) build --profile dist --package hob

test:
	@start=$$(date +%s); $(MAKE) --no-print-directory setup lint unit doc embedded ui && \
		echo "make test took $$(( ($$(date +%s) - start + 59) / 60 )) minutes"

# What the tests need beyond cargo: PostgreSQL, its clients, and solvers.
setup:
	@scripts/setup.sh

lint:
	$(CARGO) fmt --all --check
	RUSTFLAGS="-D warnings" $(CARGO) clippy --workspace --all-targets $(FEATURES) --quiet -- -D warnings
	RUSTFLAGS="-D warnings" $(CARGO) clippy --package hob --no-default-features --quiet -- -D warnings

ifeq ($(NEXTEST),yes)
unit:
	RUSTFLAGS="-D warnings" $(CARGO) nextest run --workspace $(FEATURES) --no-fail-fast --status-level fail
	RUSTFLAGS="-D warnings" $(CARGO) test --workspace $(FEATURES) --doc --quiet
else
unit:
	RUSTFLAGS="-D warnings" $(CARGO) test --workspace $(FEATURES) --quiet
endif

doc:
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace $(FEATURES) --no-deps --quiet

# A crate that uses the library as others do, against the packaged crates.
embedded:
	@scripts/embedded.sh

# The page of reports: its assets are up to date, and it works in Chromium.
ui:
	@scripts/ui.sh --check && scripts/ui-test.sh

# The pictures of README and docs, drawn from the examples.
docs-pictures: release
	$(HOB) check examples/on-call.txn --quiet --svg docs/on-call.svg || [ $$? -eq 1 ]
	$(HOB) check examples/comments.jsonl --quiet --svg docs/comments.svg || [ $$? -eq 1 ]
	$(HOB) prove examples/prove/banking.sql --quiet -k 2 --svg docs/banking.svg || [ $$? -eq 1 ]
	$(HOB) protocol 2pc --bug --quiet --svg docs/two-phase.svg || [ $$? -eq 1 ]
	$(HOB) crdt check examples/crdt/aw-set.json --quiet --svg docs/add-wins.svg || [ $$? -eq 1 ]

# Every bar at full size, one line each: measured against required. ONLY=… those whose name has it: make bars ONLY='^MySQL'.
ONLY ?=
bars: release
	@scripts/bars.sh "$(ONLY)"

# The tables of speed, memory and effectiveness from fixed seeds. Of the explorer's algorithms each program has
# CELL_SECONDS; the paper's table has 60 and takes more than an hour.
CELL_SECONDS ?= 5
bench:
	$(CARGO) bench --quiet --package hob --bench table
	$(CARGO) bench --quiet --package hob --bench store
	$(CARGO) bench --quiet --package hobgoblin-apps --bench policies
	$(CARGO) bench --quiet --package hobgoblin-front --bench interleave
	$(CARGO) bench --quiet --package hobgoblin-server --bench http
	$(CARGO) bench --quiet --package hobgoblin-runner --bench overhead
	$(CARGO) bench --quiet --package hobgoblin-store --bench statements
	$(CARGO) bench --quiet --package hobgoblin-sql --bench statements
	$(CARGO) bench --quiet --package hobgoblin-server --bench pg
	$(CARGO) bench --quiet --package hobgoblin-server --bench mysql
	$(CARGO) bench --quiet --package hobgoblin-server --bench against
	scripts/tpcc.sh
	$(CARGO) run --release --quiet --package hobgoblin-oltp -- speed
	$(CARGO) run --release --quiet --package hobgoblin-oltp -- table
	$(CARGO) bench --quiet --package hobgoblin-explore --bench explore -- --seconds $(CELL_SECONDS)
	$(CARGO) bench --quiet --package hobgoblin-explore --bench coverage
	$(CARGO) bench --quiet --package hobgoblin-protocol --bench states
	$(CARGO) bench --quiet --package hobgoblin-crdt --bench speed
	$(CARGO) bench --quiet --package hobgoblin-prove --bench table

# Long fuzzing runs; FUZZ_SECONDS per target.
FUZZ_SECONDS ?= 300
fuzz:
	fuzz/run.sh $(FUZZ_SECONDS)

clean:
	$(CARGO) clean
