import { defineConfig } from "@playwright/test";

// Debian's Chromium, one worker: some tests measure time.
export default defineConfig({
  testDir: "tests",
  workers: 1,
  retries: 0,
  reporter: [["list"]],
  snapshotPathTemplate: "tests/golden/{arg}{ext}",
  updateSnapshots: process.env["UPDATE_GOLDEN"] ? "all" : "none",
  timeout: 60_000,
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 900 },
    launchOptions: { executablePath: process.env["HOB_CHROMIUM"] ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] },
  },
});
