#!/usr/bin/env bash
# Opens reports in Chromium and uses them: by keys, by filters, in the dark, on paper, with hostile values.
set -euo pipefail
cd "$(dirname "$0")/.."

skip() { echo "ui-test: skipped: $1"; exit 0; }
command -v node >/dev/null || skip "node is missing"
HOB_CHROMIUM=${HOB_CHROMIUM:-$(command -v chromium || command -v chromium-browser || true)}
[ -n "$HOB_CHROMIUM" ] || skip "chromium is missing"
[ -d ui/node_modules/@playwright ] || skip "playwright is missing; scripts/ui.sh installs it"

export HOB_CHROMIUM HOB_PAGES=$PWD/target/ui-pages
${CARGO:-cargo} run --quiet --package hobgoblin-report --example pages -- "$HOB_PAGES"
cd ui && node_modules/.bin/playwright test "$@"
