// Pictures that were looked at. `UPDATE_GOLDEN=1` takes them anew; look at them again before they are committed.

import { execFileSync } from "node:child_process";

import { expect, test } from "@playwright/test";
import { open } from "./pages";

const VIEWS: [name: string, page: string, hash: string, scheme: "light" | "dark", media: "screen" | "print"][] = [
  ["timeline-light", "seats.html", "#at=1", "light", "screen"],
  ["graph-dark", "fork.html", "#tab=graph&at=2", "dark", "screen"],
  ["proof-light", "chain.html", "#tab=proof", "light", "screen"],
  ["history-dark", "million.html", "#tab=history", "dark", "screen"],
  ["print", "skew.html", "", "light", "print"],
];

/** The fonts that the pictures were taken with; with others every letter is another picture. */
const FONTS = ["DejaVu Sans", "DejaVu Sans Mono"];

function fonts(): string[] {
  const match = (family: string) => execFileSync("fc-match", ["-f", "%{family}", family], { encoding: "utf8" });
  try {
    return [match("sans-serif"), match("monospace")];
  } catch {
    return [];
  }
}

test.skip(fonts().join() !== FONTS.join(), "the pictures were taken with DejaVu, which is not here");

for (const [name, file, hash, scheme, media] of VIEWS) {
  test(`${name} looks as it did`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme, media, reducedMotion: "reduce" });
    await open(page, file, hash);
    if (name.startsWith("proof")) await page.keyboard.press("e");
    await expect(page).toHaveScreenshot(`${name}.png`, { maxDiffPixelRatio: 0.03, threshold: 0.3, animations: "disabled" });
  });
}
