#!/usr/bin/env bash
# Installs what the tests need beyond a Rust toolchain, where it may, and names what it could not.
set -euo pipefail

command -v cargo >/dev/null || { echo "setup: cargo is missing; install Rust 1.95 or newer from https://rustup.rs" >&2; exit 2; }

# Debian packages the tests need, as "command:package". None so far; the servers and solvers of later
# parts go here.
needed=()

missing=()
for pair in "${needed[@]:-}"; do
  [ -n "$pair" ] || continue
  command -v "${pair%%:*}" >/dev/null || missing+=("${pair##*:}")
done
[ "${#missing[@]}" -eq 0 ] && exit 0
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq && apt-get install -y -qq "${missing[@]}" >/dev/null
else
  echo "setup: not root, so not installed: ${missing[*]}; tests that need them are skipped and say so" >&2
fi
