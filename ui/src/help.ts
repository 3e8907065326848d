// The dialog that lists the keys.

import { button, make } from "./page";

const KEYS: readonly (readonly [string, string])[] = [
  ["j / k", "next and previous sentence along the cycle"],
  ["n / p", "next and previous anomaly"],
  ["/", "search the history"],
  ["e", "unfold or fold all reasons"],
  ["d", "dark or light"],
  ["?", "this help"],
];

export class Help {
  private readonly dialog = make("dialog");
  private readonly single = make("input");

  constructor() {
    const title = make("h2", "", "Keys");
    title.id = "help-title";
    this.dialog.setAttribute("aria-labelledby", title.id);
    const list = make("dl", "keys");
    for (const [key, meaning] of KEYS) {
      const row = make("div");
      const term = make("dt");
      term.append(make("kbd", "", key));
      row.append(term, make("dd", "", meaning));
      list.append(row);
    }
    this.single.type = "checkbox";
    this.single.checked = true;
    const label = make("label", "single", " single keys act");
    label.prepend(this.single);
    this.dialog.append(title, list, label, button("Close", "", () => this.dialog.close()));
    document.body.append(this.dialog);
  }

  get open(): boolean {
    return this.dialog.open;
  }

  /** Whether keys act, which a reader may turn off. */
  get keys(): boolean {
    return this.single.checked;
  }

  show(): void {
    if (!this.dialog.open) this.dialog.showModal();
  }
}
