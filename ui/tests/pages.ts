// The pages that `crates/report/examples/pages.rs` writes, and what every test does with them.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, type Page } from "@playwright/test";

const directory = process.env["HOB_PAGES"] ?? fileURLToPath(new URL("../../target/ui-pages", import.meta.url));

export function file(name: string): string {
  return join(directory, name);
}

/** Opens a page, and fails the test where it logs an error: a breach of its policy is one. */
export async function open(page: Page, name: string, hash = ""): Promise<void> {
  page.on("console", (message) => expect(message.type(), message.text()).not.toBe("error"));
  page.on("pageerror", (error) => expect(error.message).toBe(""));
  await page.goto(pathToFileURL(file(name)).href + hash);
}

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds wrong, one line each. */
export async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => (window as unknown as { axe: Axe }).axe.run());
  return violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.html} ${node.failureSummary ?? ""}`));
}
