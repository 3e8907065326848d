#!/usr/bin/env bash
# Builds the script and the style of reports from ui/ into crates/report/assets, which is committed. With --check it
# builds beside them and fails where what is committed is not what ui/ makes.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
  echo "ui: skipped: node or npm is missing"
  exit 0
fi
export PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1
stamp=ui/node_modules/.hob-lock
if ! cmp -s ui/package-lock.json "$stamp"; then
  if ! (cd ui && npm ci --silent --no-fund --no-audit >/dev/null 2>&1); then
    [ "${1:-}" = --check ] || { echo "ui: npm ci failed" >&2; exit 2; }
    echo "ui: skipped: npm ci failed (is there a network?)"
    exit 0
  fi
  cp ui/package-lock.json "$stamp"
fi

build() { (cd ui && node_modules/.bin/tsc --noEmit && node_modules/.bin/tsc -p tests && HOB_UI_OUT=$1 node_modules/.bin/vite build --logLevel error); }

if [ "${1:-}" = --check ]; then
  built=$(mktemp -d)
  trap 'rm -rf "$built"' EXIT
  build "$built"
  for file in report.js report.css; do
    cmp -s "$built/$file" "crates/report/assets/$file" ||
      { echo "ui: crates/report/assets/$file is stale; run scripts/ui.sh and commit it" >&2; exit 1; }
  done
  echo "ui: the assets are what ui/ makes"
else
  build "$PWD/crates/report/assets"
fi
