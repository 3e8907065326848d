// Pages that a server shows: rows by parts, new versions in place of old ones, and a server that goes away.

import { expect, test, type Page } from "@playwright/test";
import { faults, open } from "./pages";
import { Served } from "./server";

let served: Served;
/** What the page logged as an error, beside what Chromium says of answers that fail. */
let errors: string[];
const FAILED = /^Failed to load resource: (net::ERR_|the server responded with a status of 409)/;

/** Serves a page and opens it; its history stays at the server if it is remote. */
async function visit(page: Page, name: string, hash = "", remote = true): Promise<void> {
  served = new Served(name, remote);
  await served.start();
  errors = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !FAILED.test(message.text())) errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(served.address + hash);
}

test.afterEach(async () => {
  if (served) await served.stop();
  expect(errors ?? []).toEqual([]);
});

const box = (page: Page) => page.locator(".virtual");
const waiting = (page: Page) => page.locator(".virtual tr[aria-busy]");
const names = (page: Page) => page.locator(".virtual tbody button[data-row]");

/** Scrolls, and waits until the table has heard of it: it draws in the frame after. */
async function scrollTo(page: Page, top: number): Promise<void> {
  await box(page).evaluate(async (element, top) => {
    element.scrollTop = top;
    for (let frames = 0; frames < 3; frames++) await new Promise((done) => requestAnimationFrame(done));
  }, top);
}

/** Waits until a new version is shown. */
async function updated(page: Page): Promise<void> {
  await expect(page.locator("body")).toHaveAttribute("data-version", String(served.version));
}

/** Waits some time in which nothing shall happen. */
async function still(page: Page): Promise<void> {
  await page.waitForTimeout(1500);
}

test("only the rows in view are fetched", async ({ page }) => {
  await visit(page, "large.html", "#tab=history");
  await expect(page.locator(".count")).toHaveText("100,005 transactions");
  await expect(names(page).first()).toBeVisible();
  expect(served.asked.map(String)).toEqual(["version=7&from=0&count=200"]);
  served.slow = () => 300;
  await scrollTo(page, 50_000 * 30);
  await expect(waiting(page).first()).toBeVisible();
  expect(await faults(page), "while rows are awaited").toEqual([]);
  await expect(waiting(page)).toHaveCount(0);
  await expect(page.locator(".virtual tr[aria-rowindex='50002'] td.line")).not.toHaveText("");
  expect(served.asked.length).toBeLessThanOrEqual(3);
  served.slow = () => 0;
  await scrollTo(page, 1e9);
  await expect(page.locator(".virtual tr[aria-rowindex='100006'] button")).toBeVisible();
  const before = served.asked.length;
  await names(page).last().click();
  await expect(page.locator("#detail h3")).toHaveText((await names(page).last().textContent())?.replace("◆ ", "") ?? "");
  await expect(page.locator("#detail li").first()).toContainText(/read|wrote/);
  expect(served.asked.length).toBe(before);
});

test("fast scrolling asks for few chunks, and few are kept", async ({ page }) => {
  await visit(page, "large.html", "#tab=history");
  await expect(names(page).first()).toBeVisible();
  served.slow = () => 100;
  await box(page).evaluate(async (element) => {
    for (let i = 1; i <= 100; i++) {
      element.scrollTop = i * 20_000;
      await new Promise((done) => requestAnimationFrame(done));
    }
  });
  await expect(waiting(page)).toHaveCount(0);
  expect(served.asked.length).toBeLessThan(60);
  served.slow = () => 0;
  for (let chunk = 1; chunk <= 51; chunk++) {
    await scrollTo(page, chunk * 6000 + 3000);
    await expect(page.locator(`.virtual tr[aria-rowindex='${chunk * 200 + 102}'] button`)).toBeVisible();
  }
  const first = () => served.asked.filter((params) => params.get("from") === "0").length;
  expect(first()).toBe(1);
  await scrollTo(page, 0);
  await expect(page.locator(".virtual tr[aria-rowindex='2'] button")).toBeVisible();
  expect(first()).toBe(2);
});

test("filters are asked of the server, and late answers are dropped", async ({ page }) => {
  await visit(page, "large.html");
  await page.keyboard.press("/");
  await expect(names(page).first()).toBeVisible();
  await page.keyboard.type("question", { delay: 20 });
  await expect(page.locator(".count")).toHaveText("3 of 100,005 transactions");
  await expect(names(page)).toHaveCount(3);
  const asked = served.asked.filter((params) => params.has("q"));
  expect(asked.at(-1)?.get("q")).toBe("question");
  expect(asked.length).toBeLessThan(4);
  expect(new URL(page.url()).hash).toContain("q=question");
  served.slow = (params) => (params.get("q") === "4" ? 800 : 0);
  await page.locator("#filter-search").fill("4");
  await expect.poll(() => served.asked.at(-1)?.get("q")).toBe("4");
  await expect(page.locator(".count")).toHaveText("3 of 100,005 transactions");
  await page.locator("#filter-search").fill("42");
  const left = served.fitting(new URLSearchParams({ q: "42" })).length;
  const told = `${left.toLocaleString("en-US")} of 100,005 transactions`;
  await expect(page.locator(".count")).toHaveText(told);
  await page.waitForTimeout(1000);
  await expect(page.locator(".count")).toHaveText(told);
  await page.getByRole("button", { name: "Clear all filters" }).click();
  await expect(page.locator(".count")).toHaveText("100,005 transactions");
  await page.locator("#filter-status").selectOption("anomaly");
  await expect(page.locator(".count")).toHaveText("5 of 100,005 transactions");
  await expect(page.locator(".virtual tr.witness")).toHaveCount(5);
  await page.locator("#filter-search").fill("nothing has this");
  await expect(page.locator(".count")).toHaveText("0 of 100,005 transactions");
  await expect(names(page)).toHaveCount(0);
  await page.reload();
  await expect(page.locator("#filter-status")).toHaveValue("anomaly");
  await expect(page.locator(".count")).toHaveText("0 of 100,005 transactions");
});

test("a new version keeps tab, filter, focus and scroll", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await visit(page, "large.html", "#tab=history&theme=dark");
  await expect(names(page).first()).toBeVisible();
  served.count -= 50;
  served.bump();
  await updated(page);
  await page.locator("#filter-session").selectOption("worker-3");
  const total = () => `${served.fitting(new URLSearchParams({ session: "worker-3" })).length.toLocaleString("en-US")} of ${served.count.toLocaleString("en-US")} transactions`;
  await expect(page.locator(".count")).toHaveText(total());
  await scrollTo(page, 60_000);
  await expect(waiting(page)).toHaveCount(0);
  const row = names(page).nth(10);
  const name = await row.getAttribute("data-row");
  await row.click();
  await row.focus();
  await expect(page.locator("#detail h3")).toHaveText(name ?? "");
  await page.evaluate(() => window.scrollTo({ top: 150, behavior: "instant" }));
  const scrolled = await page.evaluate(() => scrollY);
  expect(scrolled).toBeGreaterThan(0);
  served.slow = () => 200;
  // The old rows stay until the new ones come: no row is awaited at any moment.
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.querySelector(".virtual tr[aria-busy]")) document.title = "a row was awaited";
    }).observe(document.body, { childList: true, subtree: true });
  });
  const kept = async () => {
    await expect(page.locator(`[data-row="${name}"]`)).toBeFocused();
    expect(await box(page).evaluate((element) => element.scrollTop)).toBe(60_000);
    expect(await page.evaluate(() => scrollY)).toBe(scrolled);
    await expect(page.locator("#filter-session")).toHaveValue("worker-3");
    await expect(page.getByRole("tab", { selected: true })).toHaveText("History");
    await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
    await expect(page.locator("#detail h3")).toHaveText(name ?? "");
  };
  for (let i = 0; i < 3; i++) {
    served.count += 16;
    served.bump((html) => html.replace(/<h1>[^<]*/, `<h1>version ${served.version}`));
    await updated(page);
    await expect(page.locator("h1")).toHaveText(`version ${served.version}`);
    await kept();
    await expect(page.locator(".count")).toHaveText(total());
    await kept();
  }
  expect(await page.title()).not.toBe("a row was awaited");
  await expect(page.getByRole("toolbar")).toHaveCount(1);
  await expect(page.locator(".filters")).toHaveCount(1);
  await expect(page.locator("#filter-search")).toHaveCount(1);
});

test("of a million rows those in view stay when more are added", async ({ page }) => {
  await visit(page, "large.html", "#tab=history");
  served.count = 1_000_000;
  served.bump();
  await updated(page);
  await expect(page.locator(".count")).toHaveText("1,000,000 transactions");
  for (const [top, place] of [[4_000_000, 500_000], [0, 1]] as const) {
    await scrollTo(page, top);
    await expect(waiting(page)).toHaveCount(0);
    const inView = () => box(page).evaluate((element) => {
      const edge = element.getBoundingClientRect().top + 100;
      return [...element.querySelectorAll<HTMLElement>("tbody tr[aria-rowindex]")].find((row) => row.getBoundingClientRect().bottom > edge)?.getAttribute("aria-rowindex");
    });
    const row = Number(await inView());
    expect(Math.abs(row - place)).toBeLessThan(100);
    for (let i = 0; i < 2; i++) {
      served.count += 5000;
      served.bump();
      await updated(page);
      await expect(page.locator(".count")).toHaveText(`${served.count.toLocaleString("en-US")} transactions`);
      expect(Math.abs(Number(await inView()) - row)).toBeLessThan(2);
    }
  }
});

test("what is typed in a filter stays, with its caret", async ({ page }) => {
  await visit(page, "large.html");
  await page.keyboard.press("/");
  await page.keyboard.type("quesXtion");
  await expect(page.locator(".count")).toHaveText("0 of 100,005 transactions");
  for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowLeft");
  served.bump();
  await updated(page);
  await expect(page.locator("#filter-search")).toBeFocused();
  await page.keyboard.press("Backspace");
  await expect(page.locator("#filter-search")).toHaveValue("question");
  await expect(page.locator(".count")).toHaveText("3 of 100,005 transactions");
});

test("a new version of a page with its history inside keeps what is unfolded, and keys act once", async ({ page }) => {
  await visit(page, "chain.html", "#tab=proof", false);
  const summary = page.locator("#a1-proof summary").first();
  await summary.focus();
  await page.keyboard.press("Enter");
  const open = await page.locator("#a1-proof details[open]").count();
  expect(open).toBeGreaterThan(0);
  await page.keyboard.press("j");
  for (let i = 0; i < 2; i++) {
    served.bump((html) => html.replace(/<p class="verdict">[^<]*/, `<p class="verdict">Nothing holds in version ${served.version}.`));
    await updated(page);
  }
  await expect(page.locator("#said")).toHaveText(`Nothing holds in version ${served.version}.`);
  await expect(page.locator("#a1-proof details[open]")).toHaveCount(open);
  await expect(summary).toBeFocused();
  await expect(page.locator("#a1-proof")).toBeVisible();
  await expect(page.locator("#a1-s1")).toHaveClass(/lit/);
  await page.keyboard.press("j");
  await expect(page.locator(".bar .place")).toHaveText(/^2 of/);
  await page.getByRole("button", { name: "Keys (?)" }).focus();
  served.bump();
  await updated(page);
  await expect(page.getByRole("button", { name: "Keys (?)" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog")).toBeVisible();
  served.bump();
  await updated(page);
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "History" }).click();
  await expect(names(page).first()).toBeVisible();
  expect(served.asked).toEqual([]);
});

test("a new version waits for the focus in a transaction, a selection, a mouse button and a hidden page", async ({ page }) => {
  await visit(page, "large.html", "#tab=history");
  await names(page).first().click();
  await page.getByRole("button", { name: "Close the transaction" }).focus();
  served.bump();
  await still(page);
  await expect(page.locator("body")).toHaveAttribute("data-version", "7");
  await page.keyboard.press("Enter");
  await updated(page);
  await expect(page.locator("#detail")).toBeHidden();

  await page.evaluate(() => getSelection()?.selectAllChildren(document.querySelector("#history h2") ?? document.body));
  served.bump();
  await still(page);
  await expect(page.locator("body")).toHaveAttribute("data-version", "8");
  await page.evaluate(() => getSelection()?.removeAllRanges());
  await updated(page);

  await page.locator("h1").hover();
  await page.mouse.down();
  served.bump();
  await still(page);
  await expect(page.locator("body")).toHaveAttribute("data-version", "9");
  await page.mouse.up();
  await updated(page);

  await page.evaluate(() => Object.defineProperty(document, "hidden", { value: true, configurable: true }));
  const visits = served.visits;
  served.bump();
  served.bump();
  await still(page);
  expect(served.visits).toBe(visits);
  await page.evaluate(() => Object.defineProperty(document, "hidden", { value: false, configurable: true }));
  await updated(page);
  expect(served.visits).toBe(visits + 1);
});

test("rows of a newer version leave what is shown until the page has it", async ({ page }) => {
  await visit(page, "large.html", "#tab=history");
  await expect(names(page).first()).toBeVisible();
  served.tells = false;
  served.bump();
  await scrollTo(page, 94_000);
  await expect.poll(() => served.asked.length).toBe(2);
  await scrollTo(page, 0);
  await expect(names(page).first()).toBeVisible();
  await expect(page.locator(".count")).toHaveText("100,005 transactions");
  await scrollTo(page, 94_000);
  await expect(waiting(page).first()).toBeVisible();
  expect(served.asked.length).toBe(2);
  served.tells = true;
  served.tell();
  await updated(page);
  await expect(waiting(page)).toHaveCount(0);
  await expect(page.locator(".virtual tr[aria-rowindex='3140'] button")).toBeVisible();
});

test("a server that goes away is missed, and welcomed back", async ({ page }) => {
  await visit(page, "large.html", "#tab=history");
  await expect(names(page).first()).toBeVisible();
  await expect(page.locator(".lost")).toBeHidden();
  await served.stop();
  await expect(page.locator(".lost")).toHaveText(/^not connected; what is shown is from \d\d:\d\d:\d\d$/);
  await expect(page.locator(".lost")).toBeVisible();
  await scrollTo(page, 90_000);
  await expect(page.locator(".count")).toHaveText("the server does not answer; does it still run?");
  await scrollTo(page, 0);
  await expect(names(page).first()).toBeVisible();
  await page.locator("#filter-search").fill("question");
  await page.waitForTimeout(400);
  await expect(names(page).first()).toBeVisible();
  expect(await faults(page), "without its server").toEqual([]);
  await served.start();
  await expect(page.locator(".lost")).toBeHidden();
  await scrollTo(page, 300);
  await expect(page.locator(".count")).toHaveText("3 of 100,005 transactions");
  await expect(names(page)).toHaveCount(3);
  served.bump();
  await updated(page);
});

test("a status page has neither levels nor a history, until it has", async ({ page }) => {
  await visit(page, "empty.html", "", false);
  const table = (rows: number) => `<section class="plain">\n<h2>Sessions</h2>\n<div class="scroll" tabindex="0" role="region" aria-label="Part 1: Sessions">\n<table>\n<thead><tr><th scope="col">session</th><th scope="col">transactions</th></tr></thead>\n<tbody>\n${`<tr><th scope="row">s1</th><td>${rows}</td></tr>\n`.repeat(rows)}</tbody>\n</table>\n</div>\n</section>\n`;
  served.bump((html) => html.replace("</main>", `${table(60)}</main>`));
  await expect(page.locator("main td")).toHaveCount(60);
  await page.evaluate(() => window.scrollTo({ top: 400, behavior: "instant" }));
  await page.locator(".scroll").focus();
  const level = `<nav class="levels" aria-label="Levels">\n<ol>\n<li class="holds"><div><b>SER</b> <span class="title">serializability</span> <span class="standing">holds</span></div></li>\n</ol>\n</nav>\n`;
  served.bump((html) => html.replace("</header>\n", `<p class="verdict">Everything holds.</p>\n</header>\n${level}`).replace("</main>", `${table(61)}</main>`));
  await expect(page.locator("main td")).toHaveCount(61);
  await expect(page.locator("nav.levels li")).toHaveCount(1);
  await expect(page.locator("#said")).toHaveText("Everything holds.");
  await expect(page.locator(".scroll")).toBeFocused();
  expect(await page.evaluate(() => scrollY)).toBe(400);
  expect(await page.evaluate(() => [...document.body.children].map((part) => part.tagName).slice(0, 5))).toEqual(["P", "A", "HEADER", "NAV", "MAIN"]);
  expect(await faults(page)).toEqual([]);
  served.bump((html) => html);
  await expect(page.locator("nav.levels, section")).toHaveCount(0);
  served.bump((html) => html.replace(` data-live="live"`, ""));
  await updated(page);
  const visits = served.visits;
  served.bump();
  await still(page);
  expect(served.visits).toBe(visits);
  await served.stop();
  await still(page);
  await expect(page.locator(".lost")).toBeHidden();
});

test("axe finds nothing in a served page", async ({ page }) => {
  await visit(page, "large.html", "#tab=history");
  await names(page).first().click();
  await expect(page.locator("#detail")).toBeVisible();
  expect(await faults(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  served.bump();
  await updated(page);
  expect(await faults(page), "dark, anew").toEqual([]);
});

test("a file asks for nothing", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await open(page, "large.html", "#tab=history");
  await page.locator("#filter-search").fill("question");
  await expect(page.locator(".count")).toHaveText("3 of 100,005 transactions");
  await page.waitForTimeout(500);
  expect(asked.length).toBe(1);
});
