// The table of the history: only the rows in view are in the document.

import type { Filter } from "./history";
import { button, grouped, make, need } from "./page";
import type { Found, News, Rows } from "./rows";

const ROW = 30;
/** Browsers cannot scroll further than some ten million pixels; above, scrolling is in proportion. */
const TALLEST = 8_000_000;
const EVENTS = 12;

export interface TableEvents {
  filtered(filter: Filter): void;
  say(text: string): void;
}

export class HistoryTable {
  readonly filters: Record<keyof Filter, HTMLInputElement | HTMLSelectElement>;
  private readonly box: HTMLElement;
  private readonly body: HTMLTableSectionElement;
  private readonly above: HTMLTableRowElement;
  private readonly below: HTMLTableRowElement;
  private readonly table: HTMLTableElement;
  private readonly count: HTMLElement;
  private readonly detail: HTMLElement;
  private readonly observer = new ResizeObserver(() => this.draw(true));
  private first = -1;
  /** The place that the box was scrolled to, and of how many. */
  private wanted: number | undefined;
  private counted = 0;
  private frame = 0;
  /** The transaction that is shown whole. */
  private opened: Found | undefined;

  constructor(section: HTMLElement, readonly rows: Rows, private readonly events: TableEvents) {
    const old = need<HTMLElement>(section, ".rows");
    section.querySelector(".without-script")?.remove();
    const form = make("form", "filters");
    form.setAttribute("role", "search");
    form.setAttribute("aria-label", "Filter the history");
    form.addEventListener("submit", (event) => event.preventDefault());
    this.filters = {
      session: this.choice(form, "session", ["", ...rows.sessions], (text) => text || "all"),
      key: this.text(form, "key", "part of a key"),
      status: this.choice(form, "status", ["", "committed", "aborted", "unknown", "anomaly"], (text) => text === "anomaly" ? "in an anomaly" : text || "all"),
      search: this.text(form, "search", "name, key or value"),
    };
    form.append(button("Clear", "Clear all filters", () => this.set({ session: "", key: "", status: "", search: "" })));
    this.count = make("output", "count");
    this.count.setAttribute("aria-live", "polite");
    form.append(this.count);

    this.box = make("div", "scroll virtual");
    this.box.tabIndex = 0;
    this.box.setAttribute("role", "region");
    this.box.setAttribute("aria-label", "Transactions");
    this.table = make("table");
    const head = make("thead");
    const titles = make("tr");
    titles.setAttribute("aria-rowindex", "1");
    for (const title of ["transaction", "session", "status", "line", "events"]) {
      const cell = make("th", title, title);
      cell.scope = "col";
      titles.append(cell);
    }
    head.append(titles);
    this.body = make("tbody");
    this.above = this.spacer();
    this.below = this.spacer();
    this.body.append(this.above, this.below);
    this.table.append(head, this.body);
    this.box.append(this.table);
    this.box.addEventListener("scroll", () => this.soon());
    this.detail = make("div", "detail");
    this.detail.id = "detail";
    this.detail.hidden = true;
    const paper = make("p", "hides on-paper", "On paper are only the transactions that were in view.");
    old.replaceWith(form, paper, this.box, this.detail);
    rows.changed = (news) => this.hear(news);
    this.observer.observe(this.box);
  }

  /** Ends the table, whose section is replaced. */
  close(): void {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    this.rows.close();
  }

  /** Shows the transaction that an older table of the history shows. */
  follow(before: HistoryTable): void {
    if (before.opened) this.show(before.opened);
  }

  /** Sets the filters, and shows what they leave. */
  set(filter: Filter): void {
    for (const name of ["session", "key", "status", "search"] as const) this.filters[name].value = filter[name];
    this.apply();
  }

  filter(): Filter {
    const { session, key, status, search } = this.filters;
    return { session: session.value, key: key.value, status: status.value, search: search.value };
  }

  private apply(): void {
    const filter = this.filter();
    this.rows.choose(filter);
    this.events.filtered(filter);
  }

  /** Draws what is new: what a filter leaves from the top. */
  private hear(news: News): void {
    this.tell();
    if (news === "trouble") return;
    if (news === "filter") {
      this.box.scrollTop = 0;
      this.wanted = undefined;
    }
    this.draw(true);
  }

  private tell(): void {
    const { all, total, trouble } = this.rows;
    const shown = total === all ? "" : `${grouped(total)} of `;
    const told = trouble || `${shown}${grouped(all)} transactions`;
    if (this.count.textContent !== told) this.count.textContent = told;
    this.table.setAttribute("aria-rowcount", String(total + 1));
  }

  private choice(form: HTMLElement, name: string, values: readonly string[], title: (value: string) => string): HTMLSelectElement {
    const select = make("select");
    for (const value of values) {
      const option = make("option", "", title(value));
      option.value = value;
      select.append(option);
    }
    this.labelled(form, name, select);
    return select;
  }

  private text(form: HTMLElement, name: string, hint: string): HTMLInputElement {
    const input = make("input");
    input.type = "search";
    input.placeholder = hint;
    input.autocomplete = "off";
    input.spellcheck = false;
    this.labelled(form, name, input);
    return input;
  }

  private labelled(form: HTMLElement, name: string, field: HTMLInputElement | HTMLSelectElement): void {
    const label = make("label", "", name);
    field.id = `filter-${name}`;
    field.addEventListener("input", () => this.apply());
    label.append(field);
    form.append(label);
  }

  private spacer(): HTMLTableRowElement {
    const row = make("tr", "spacer");
    row.setAttribute("aria-hidden", "true");
    const cell = make("td");
    cell.colSpan = 5;
    row.append(cell);
    return row;
  }

  private soon(): void {
    if (!this.frame) this.frame = requestAnimationFrame(() => this.draw(false));
  }

  /** Puts the rows in view into the document. */
  draw(anew: boolean): void {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const count = this.rows.total;
    const room = Math.ceil(this.box.clientHeight / ROW) + 12;
    const tall = Math.min(count * ROW, TALLEST);
    const whole = count * ROW <= TALLEST;
    const pixels = whole ? ROW : Math.max(1, tall - this.box.clientHeight) / (count - room + 12);
    // In proportion, every row that is added would shift those in view.
    if (!whole && this.wanted !== undefined && this.counted !== count) this.box.scrollTop = (this.wanted + 5) * pixels;
    this.counted = count;
    const wanted = (whole ? Math.floor : Math.round)(this.box.scrollTop / pixels) - 5;
    this.wanted = wanted;
    const first = Math.max(0, Math.min(wanted, count - room));
    const shown = Math.min(room, count - first);
    this.rows.look(first, shown);
    if (!anew && first === this.first) return;
    this.first = first;
    const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset["row"] : undefined;
    const rows: HTMLTableRowElement[] = [];
    for (let i = first; i < first + shown; i++) rows.push(this.row(i));
    const before = whole ? first * ROW : Math.max(0, Math.min(this.box.scrollTop - 5 * ROW, tall - shown * ROW));
    this.height(this.above, before);
    this.height(this.below, Math.max(0, tall - before - shown * ROW));
    // The browser lays out when the row with the focus goes: the new ones must be there, or the box scrolls up.
    const old = [...this.body.rows].slice(1, -1);
    this.above.after(...rows);
    for (const row of old) row.remove();
    if (focused !== undefined) this.focus(focused);
  }

  private focus(name: string): void {
    this.body.querySelector<HTMLElement>(`[data-row="${CSS.escape(name)}"]`)?.focus({ preventScroll: true });
  }

  private height(spacer: HTMLTableRowElement, pixels: number): void {
    spacer.hidden = pixels <= 0;
    need<HTMLElement>(spacer, "td").style.height = `${pixels}px`;
  }

  private row(place: number): HTMLTableRowElement {
    const row = make("tr");
    row.setAttribute("aria-rowindex", String(place + 2));
    const name = make("th");
    name.scope = "row";
    const found = this.rows.at(place);
    if (!found) {
      const rest = make("td");
      rest.colSpan = 4;
      name.textContent = "…";
      row.setAttribute("aria-busy", "true");
      row.append(name, rest);
      return row;
    }
    const { history, at } = found;
    row.classList.toggle("witness", history.isWitness(at));
    const open = button(history.name(at), "", () => this.open(found));
    open.dataset["row"] = history.name(at);
    open.setAttribute("aria-controls", "detail");
    if (history.isWitness(at)) {
      const sign = make("span", "sign", "◆ ");
      sign.title = "in an anomaly";
      open.prepend(sign);
    }
    name.append(open);
    const line = history.line(at);
    const events = make("td", "events");
    events.textContent = inShort(found);
    row.append(name, make("td", "", history.sessionOf(at)), make("td", history.status(at), history.status(at)), make("td", "line", line ? String(line) : ""), events);
    return row;
  }

  /** Shows a transaction whole, and goes there. */
  private open(found: Found): void {
    this.show(found);
    this.detail.scrollIntoView({ block: "nearest" });
    const { history, at } = found;
    this.events.say(`${history.name(at)}, ${about(found)}, ${history.size(at)} events`);
  }

  private show(found: Found): void {
    this.opened = found;
    const { history, at } = found;
    const title = make("h3", "", history.name(at));
    const close = button("Close", "Close the transaction", () => {
      this.opened = undefined;
      this.detail.hidden = true;
      this.focus(history.name(at));
    });
    const list = make("ul", "events");
    for (const event of history.events(at, 1000)) {
      const item = make("li");
      item.append(make("code", "", `${event.write ? "wrote" : "read"} ${event.key} = ${event.value}${event.lock ? ", locking it" : ""}`));
      list.append(item);
    }
    const parts: HTMLElement[] = [title, make("p", "quiet", about(found))];
    const statements = history.statements(at);
    if (statements.length) {
      const sql = make("ol", "statements");
      for (const statement of statements) {
        const item = make("li");
        item.append(make("code", "", statement));
        sql.append(item);
      }
      parts.push(sql);
    }
    this.detail.replaceChildren(...parts, list, close);
    this.detail.hidden = false;
  }
}

function inShort({ history, at }: Found): string {
  const events = history.events(at, EVENTS).map((event) => `${event.key} ${event.write ? ":=" : "→"} ${event.value}`);
  const more = history.size(at) - events.length;
  return events.join(", ") + (more > 0 ? `, … and ${more} more` : "");
}

function about({ history, at }: Found): string {
  const line = history.line(at);
  return `session ${history.sessionOf(at)}, ${history.status(at)}${line ? `, line ${line}` : ""}`;
}
