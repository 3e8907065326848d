#!/usr/bin/env bash
# Runs the tests of examples/embedded against the crates as they would be published: packaged, unpacked, and put in the
# place of the registry's.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=$PWD/target/embedded/packages
rm -rf "$packages" target/package
mkdir -p "$packages"
members=$(cargo metadata --no-deps --format-version 1 --offline |
  grep -o '"name":"hob[a-z-]*","version":"[^"]*","id":"[^"]*/crates/[^"]*"' | sed 's/"name":"\([^"]*\)".*/\1/' |
  grep -v oracle | sort -u)
# shellcheck disable=SC2046
cargo package --offline --quiet --no-verify --allow-dirty $(sed 's/^/--package /' <<<"$members")
patches=()
for crate in target/package/*.crate; do
  name=$(basename "$crate" .crate)
  tar --extract --gzip --file "$crate" --directory "$packages"
  patches+=(--config "patch.crates-io.${name%-*}.path=\"$packages/$name\"")
done
# A copy, since the lock file names what is patched.
rm -rf target/embedded/crate
cp -r examples/embedded target/embedded/crate
cd target/embedded/crate
CARGO_TARGET_DIR=.. cargo test --quiet "${patches[@]}"
