// One anomaly: its tabs, the way along its cycle, and what belongs together.

import { button, make } from "./page";
import { isPanel, type Panel } from "./state";

const TITLES: Record<Panel, string> = {
  timeline: "Timeline", graph: "Graph", proof: "Proof", transactions: "Transactions", history: "History",
};

export interface Actions {
  show(panel: Panel): void;
  step(by: number): void;
  say(text: string): void;
}

export class AnomalyView {
  readonly panels = new Map<Panel, HTMLElement>();
  /** The sentences that lead around the cycle. */
  readonly stops: HTMLElement[];
  private readonly tabs = new Map<Panel, HTMLButtonElement>();
  private readonly bar = make("div", "bar");
  private readonly place = make("span", "place");
  private readonly sentence = make("p", "sentence");
  private lit: Element[] = [];
  private at = 0;

  constructor(readonly article: HTMLElement, history: HTMLElement | null, private readonly actions: Actions) {
    for (const panel of article.querySelectorAll<HTMLElement>(":scope > .panel")) {
      const name = panel.dataset["panel"] ?? "";
      if (isPanel(name)) this.panels.set(name, panel);
    }
    if (history) this.panels.set("history", history);
    this.stops = [...article.querySelectorAll<HTMLElement>("li.stop")];
    this.build();
    article.addEventListener("pointerover", (event) => this.point(event.target));
    article.addEventListener("pointerleave", () => this.step(this.at, false));
    article.addEventListener("click", (event) => {
      const stop = this.stopOf(event.target);
      if (stop > 0) this.actions.step(stop - this.at);
    });
  }

  private build(): void {
    if (this.panels.size === 0) return;
    const tabs = make("div", "tabs");
    tabs.setAttribute("role", "tablist");
    tabs.setAttribute("aria-label", "Views of the anomaly");
    for (const [name, panel] of this.panels) {
      const tab = button(TITLES[name], "", () => this.actions.show(name));
      tab.id = `tab-${this.article.id}-${name}`;
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-controls", panel.id);
      tab.addEventListener("keydown", (event) => this.alongTabs(event));
      this.tabs.set(name, tab);
      tabs.append(tab);
      panel.setAttribute("role", "tabpanel");
    }
    if (this.stops.length) {
      const back = button("‹", "Previous sentence (k)", () => this.actions.step(-1));
      const on = button("›", "Next sentence (j)", () => this.actions.step(1));
      this.bar.append(back, this.place, on, this.sentence);
    }
    const first = this.article.querySelector(":scope > .panel");
    this.article.insertBefore(tabs, first);
    if (this.stops.length) this.article.insertBefore(this.bar, first);
  }

  /** Arrow keys go from tab to tab, as in any tab list. */
  private alongTabs(event: KeyboardEvent): void {
    const names = [...this.tabs.keys()];
    const now = names.findIndex((name) => this.tabs.get(name) === event.currentTarget);
    const to = { ArrowRight: now + 1, ArrowLeft: now - 1 + names.length, Home: 0, End: names.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const name = names[to % names.length];
    if (!name) return;
    this.actions.show(name);
    this.tabs.get(name)?.focus();
  }

  /** Shows one panel. The history is shared, and moves to the anomaly that is looked at. */
  show(wanted: Panel): void {
    const name = this.panels.has(wanted) ? wanted : ([...this.panels.keys()][0] ?? wanted);
    const history = this.panels.get("history");
    if (history && history.parentElement !== this.article) {
      const after = this.article.querySelector(":scope > .prevented, :scope > .quiet");
      this.article.insertBefore(history, after);
    }
    for (const [panel, element] of this.panels) element.hidden = panel !== name;
    for (const [panel, tab] of this.tabs) {
      tab.setAttribute("aria-selected", String(panel === name));
      tab.tabIndex = panel === name ? 0 : -1;
      if (panel === name) this.panels.get(panel)?.setAttribute("aria-labelledby", tab.id);
    }
    this.bar.hidden = name === "history" || name === "transactions";
  }

  /** Goes to a place along the cycle, from 1; 0 is none. */
  step(at: number, aloud: boolean): void {
    this.at = Math.max(0, Math.min(at, this.stops.length));
    const stop = this.stops[this.at - 1];
    this.place.textContent = this.at ? `${this.at} of ${this.stops.length}` : `${this.stops.length} sentences`;
    const text = stop?.querySelector("p")?.cloneNode(true) as HTMLElement | undefined;
    text?.querySelectorAll(".number, a").forEach((part) => part.remove());
    const said = text?.textContent?.trim() ?? "";
    this.sentence.textContent = said;
    this.light(stop ?? null);
    if (!stop || !aloud) return;
    this.actions.say(`${this.at} of ${this.stops.length}: ${said}`);
    const seen = this.lit.find((element) => element.getClientRects().length > 0);
    seen?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  get current(): number {
    return this.at;
  }

  private point(target: EventTarget | null): void {
    const element = target instanceof Element ? target.closest("[data-edge], [data-events]") : null;
    if (element && this.article.contains(element)) this.light(element);
  }

  /** The stop that an element belongs to, from 1; 0 for none. A link goes where it says instead. */
  private stopOf(target: EventTarget | null): number {
    if (!(target instanceof Element) || target.closest("a, button, summary, input, select")) return 0;
    const inside = target.closest<HTMLElement>("li.stop");
    if (inside) return this.stops.indexOf(inside) + 1;
    const element = target.closest<HTMLElement>("[data-edge], [data-events]");
    if (!element) return 0;
    const edge = element.dataset["edge"];
    const events = eventsOf(element);
    const same = (stop: HTMLElement): boolean =>
      edge !== undefined ? stop.dataset["edge"] === edge : eventsOf(stop).some((event) => events.includes(event));
    return this.stops.findIndex(same) + 1;
  }

  /** Lights what belongs to an element: its arrow, the sentences about it, its events. */
  light(element: Element | null): void {
    for (const old of this.lit) old.classList.remove("lit");
    this.lit = [];
    if (!(element instanceof HTMLElement || element instanceof SVGElement)) return;
    const edge = element.dataset["edge"];
    const events = eventsOf(element);
    for (const other of this.article.querySelectorAll<HTMLElement | SVGElement>("[data-edge], [data-events]")) {
      const isEvent = other.dataset["edge"] === undefined;
      const shared = isEvent || edge === undefined ? eventsOf(other).some((event) => events.includes(event)) : other.dataset["edge"] === edge;
      if (other === element || shared) this.lit.push(other);
    }
    if (!this.lit.includes(element)) this.lit.push(element);
    for (const one of this.lit) one.classList.add("lit");
  }

  /** Goes to a sentence, an arrow or a line of the timeline. */
  visit(target: HTMLElement): void {
    for (let up = target.parentElement; up && up !== this.article; up = up.parentElement) {
      if (up instanceof HTMLDetailsElement) up.open = true;
    }
    target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.scrollIntoView({ block: "center" });
    const stop = this.stops.findIndex((one) => one === target || (target.dataset["edge"] !== undefined && one.dataset["edge"] === target.dataset["edge"]));
    if (stop >= 0) this.step(stop + 1, false);
    this.light(target);
  }

  /** Opens all that is folded, or closes it when all is open. */
  expand(): void {
    const folded = [...this.article.querySelectorAll("details")];
    const open = folded.some((details) => !details.open);
    for (const details of folded) details.open = open;
    this.actions.say(open ? "Everything is unfolded" : "Everything is folded");
  }
}

function eventsOf(element: HTMLElement | SVGElement): string[] {
  return element.dataset["events"]?.split(" ").filter(Boolean) ?? [];
}
