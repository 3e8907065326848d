// A page that its server changes: asks for news, and fetches the page anew when it is a good moment to show it.

import { make, need } from "./page";

// All in milliseconds.
/** How long to wait between two questions, and before a look whether the reader is still busy. */
const BETWEEN = 250;
/** How long a new version is shown at least. */
const SETTLED = 1000;
/** How long to wait before a server that did not answer is asked again. */
const RETRY = 2000;
/** How long an answer may take; the server holds a question for some 20 seconds. */
const LONGEST = 40_000;

export class Live {
  /** The version that is shown, and the last one heard of. */
  private shown = document.body.dataset["version"] ?? "";
  private heard = this.shown;
  /** When what is shown was last known to be new. */
  private fresh = new Date();
  private readonly note = make("p", "lost");
  private updating = false;
  /** Whether a mouse button is down or a text is being composed, which a new page would break off. */
  private pressed = false;
  private composing = false;

  constructor(private readonly replace: (next: Document) => void) {
    this.note.setAttribute("role", "status");
    this.note.hidden = true;
    document.body.prepend(this.note);
    for (const type of ["pointerdown", "pointermove", "pointerup", "pointercancel"] as const) {
      addEventListener(type, (event) => { this.pressed = event.buttons !== 0; }, { capture: true, passive: true });
    }
    for (const type of ["compositionstart", "compositionend"] as const) {
      addEventListener(type, () => { this.composing = type === "compositionstart"; });
    }
    void this.listen();
  }

  /** Asks for news as long as the page is one that changes. */
  private async listen(): Promise<void> {
    for (;;) {
      const version = await this.news();
      if (!changes()) return;
      if (version === undefined) {
        await pause(RETRY);
        continue;
      }
      this.heard = version;
      if (this.heard === this.shown) this.fresh = new Date();
      else if (!this.updating) void this.update();
      await pause(BETWEEN);
    }
  }

  /** The version that the server has; nothing where it does not answer. */
  private async news(): Promise<string | undefined> {
    // A server that is back holds a question for long; the page it gives at once.
    if (!this.note.hidden) {
      const next = await this.page();
      return next && (next.body.dataset["version"] ?? "");
    }
    try {
      const response = await ask(`live?since=${encodeURIComponent(this.heard)}`);
      const { version } = (await response.json()) as { version: number };
      this.note.hidden = true;
      return String(version);
    } catch {
      this.lost();
      return undefined;
    }
  }

  /** Fetches the page until it is shown in the version that was heard of. */
  private async update(): Promise<void> {
    this.updating = true;
    while (this.heard !== this.shown) {
      while (this.busy()) await pause(BETWEEN);
      const next = await this.page();
      while (this.busy()) await pause(BETWEEN);
      if (!next) {
        await pause(RETRY);
        continue;
      }
      this.replace(next);
      this.heard = this.shown = document.body.dataset["version"] ?? this.heard;
      this.fresh = new Date();
      await pause(SETTLED);
    }
    this.updating = false;
  }

  /** The page as it is now; nothing where the server does not answer. */
  private async page(): Promise<Document | undefined> {
    try {
      const response = await ask(location.pathname + location.search);
      const next = new DOMParser().parseFromString(await response.text(), "text/html");
      need(next, "body > main");
      this.note.hidden = true;
      return next;
    } catch {
      this.lost();
      return undefined;
    }
  }

  private lost(): void {
    if (!this.note.hidden || !changes()) return;
    this.note.textContent = `not connected; what is shown is from ${this.fresh.toLocaleTimeString("en-GB")}`;
    this.note.hidden = false;
  }

  /** Whether a new page would take away what the reader has in hand. */
  private busy(): boolean {
    if (document.hidden || this.pressed || this.composing) return true;
    const main = document.querySelector("main");
    const selection = getSelection();
    if (main && selection && !selection.isCollapsed && selection.containsNode(main, true)) return true;
    if (CSS.supports("selector(select:open)") && document.querySelector("select:open")) return true;
    return document.activeElement?.closest(".detail") != null;
  }
}

/** Whether the page that is shown is one that changes; a last version may say that it is the last. */
export function changes(): boolean {
  return document.body.dataset["live"] !== undefined;
}

async function ask(address: string): Promise<Response> {
  const response = await fetch(address, { cache: "no-store", signal: AbortSignal.timeout(LONGEST) });
  if (!response.ok) throw new Error(response.statusText);
  return response;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((done) => setTimeout(done, milliseconds));
}
