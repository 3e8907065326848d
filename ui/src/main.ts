// The page comes complete from Rust; this adds tabs, keys, highlighting and the table of the history.

import "./report.css";
import { AnomalyView } from "./anomaly";
import { Help } from "./help";
import { History, type Data, type Filter } from "./history";
import { keep, PARTS } from "./keep";
import { changes, Live } from "./live";
import { announcer, button, make, need } from "./page";
import { RemoteRows, type Remote } from "./remote";
import { EmbeddedRows, type Rows } from "./rows";
import { read, write, type Panel, type State } from "./state";
import { HistoryTable } from "./table";

class App {
  private state: State = read(location.hash);
  private readonly say = announcer();
  private readonly help = new Help();
  private views: AnomalyView[] = [];
  private history: HTMLElement | null = null;
  private table: HistoryTable | undefined;
  /** The table of an older version of the page, until the history is looked at again. */
  private former: HistoryTable | undefined;
  private readonly theme = button("", "", () => this.turn());

  constructor() {
    document.documentElement.classList.add("js");
    this.build();
    document.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("click", (event) => this.follow(event));
    addEventListener("popstate", () => this.restore());
    addEventListener("hashchange", () => this.restore());
    this.printing();
    this.restore();
    if (changes()) new Live((next) => this.replace(next));
  }

  /** Adds to the page what needs a script; a new version of the page needs it again. */
  private build(): void {
    this.history = document.querySelector("#history");
    const actions = {
      show: (panel: Panel) => this.go({ panel }, true),
      step: (by: number) => this.step(by),
      say: this.say,
    };
    const articles = [...document.querySelectorAll<HTMLElement>("article.anomaly")];
    this.views = articles.map((article) => new AnomalyView(article, this.history, actions));
    this.tools(articles.length);
  }

  /** Puts a new version of the page in place, and leaves the reader where they are. */
  private replace(next: Document): void {
    const kept = keep();
    const verdict = document.querySelector(".verdict")?.textContent;
    if (this.view) this.state.at = this.view.current;
    this.retire();
    const old = [...document.querySelectorAll(PARTS)];
    need(document, "body > main").before(...next.querySelectorAll(PARTS));
    for (const part of old) part.remove();
    for (const name of ["live", "version"]) {
      const value = next.body.dataset[name];
      if (value === undefined) delete document.body.dataset[name];
      else document.body.dataset[name] = value;
    }
    document.title = next.title;
    this.build();
    this.draw();
    kept.unfold();
    kept.scroll();
    this.table?.draw(false);
    kept.focus();
    const told = document.querySelector(".verdict")?.textContent;
    if (told && told !== verdict) this.say(told);
  }

  private tools(anomalies: number): void {
    const tools = make("div", "tools");
    tools.setAttribute("role", "toolbar");
    tools.setAttribute("aria-label", "Page");
    if (anomalies > 1) {
      tools.append(
        button("‹ previous", "Previous anomaly (p)", () => this.turnTo(-1)),
        button("next ›", "Next anomaly (n)", () => this.turnTo(1)),
      );
    }
    if (anomalies) tools.append(button("Unfold", "Unfold or fold all reasons (e)", () => this.view?.expand()));
    tools.append(this.theme, button("Keys", "Keys (?)", () => this.help.show()));
    document.querySelector("header.top")?.append(tools);
  }

  private get view(): AnomalyView | undefined {
    return this.views[this.state.anomaly - 1];
  }

  /** Changes what is looked at; `lasting` changes can be gone back from. */
  private go(change: Partial<State>, lasting: boolean): void {
    this.state = { ...this.state, target: "", ...change };
    const address = `#${write(this.state)}`;
    if (lasting) history.pushState(null, "", address);
    else history.replaceState(null, "", address);
    this.draw();
  }

  private restore(): void {
    this.state = { ...read(location.hash), theme: read(location.hash).theme || this.state.theme };
    this.draw();
    const target = this.state.target ? document.getElementById(this.state.target) : null;
    if (target) this.view?.visit(target);
  }

  private draw(): void {
    const { state } = this;
    if (this.views.length) state.anomaly = Math.max(1, Math.min(state.anomaly || 1, this.views.length));
    else state.anomaly = 0;
    this.views.forEach((view, at) => {
      view.article.hidden = at !== state.anomaly - 1;
    });
    for (const link of document.querySelectorAll("nav.levels a")) {
      if (link.getAttribute("href") === `#a${state.anomaly}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    this.view?.show(state.panel);
    if (this.view) {
      this.view.step(state.at, false);
      state.at = this.view.current;
    }
    this.dress();
    if (!this.views.length || state.panel === "history") this.unroll();
  }

  /** Reads the history when it is first looked at: it may be large. */
  private unroll(): void {
    if (!this.history) return;
    if (!this.table) {
      const rows = this.rows();
      if (!rows) return;
      const events = {
        filtered: (filter: Filter) => {
          this.state = { ...this.state, ...filter };
          history.replaceState(null, "", `#${write(this.state)}`);
        },
        say: this.say,
      };
      this.table = new HistoryTable(this.history, rows, events);
      this.table.set(this.state);
      if (this.former) this.table.follow(this.former);
      this.former = undefined;
      return;
    }
    const { session, key, status, search } = this.table.filter();
    const { state } = this;
    if (session !== state.session || key !== state.key || status !== state.status || search !== state.search) this.table.set(state);
    else this.table.draw(true);
  }

  /** Sets the table aside for the one of the next version. */
  private retire(): void {
    this.table?.close();
    this.former = this.table ?? this.former;
    this.table = undefined;
  }

  private rows(): Rows | undefined {
    const data = document.querySelector("#history-data")?.textContent;
    if (data) return new EmbeddedRows(new History(JSON.parse(data) as Data));
    const remote = document.querySelector("#history-remote")?.textContent;
    const before = this.former?.rows;
    if (remote) return new RemoteRows(JSON.parse(remote) as Remote, before instanceof RemoteRows ? before : undefined);
    return undefined;
  }

  private step(by: number): void {
    const view = this.view;
    if (!view || !view.stops.length) return;
    const at = Math.max(1, Math.min(view.current + by, view.stops.length));
    const panel = this.state.panel === "history" || this.state.panel === "transactions" ? "timeline" : this.state.panel;
    this.go({ at, panel }, false);
    view.step(at, true);
  }

  private turnTo(by: number): void {
    const count = this.views.length;
    if (!count) return;
    const anomaly = ((this.state.anomaly - 1 + by + count) % count) + 1;
    this.go({ anomaly, at: 0 }, true);
    const headline = this.view?.article.querySelector<HTMLElement>("h2");
    headline?.scrollIntoView({ block: "nearest" });
    this.say(`Anomaly ${anomaly} of ${count}: ${headline?.textContent ?? ""}`);
  }

  private search(): void {
    if (!this.history) return;
    this.go({ panel: "history" }, true);
    this.table?.filters.search.focus();
  }

  private isDark(): boolean {
    return this.state.theme ? this.state.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  private turn(): void {
    this.go({ theme: this.isDark() ? "light" : "dark" }, false);
    this.say(this.isDark() ? "Dark" : "Light");
  }

  private dress(): void {
    const root = document.documentElement;
    if (this.state.theme) root.dataset["theme"] = this.state.theme;
    else delete root.dataset["theme"];
    const other = this.isDark() ? "Light" : "Dark";
    this.theme.textContent = other;
    this.theme.setAttribute("aria-label", `${other} (d)`);
  }

  /** Links within the page go to the anomaly, the panel and the place they name. */
  private follow(event: MouseEvent): void {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const href = link?.getAttribute("href") ?? "";
    if (!/^#a\d/.test(href) || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { anomaly, panel, target } = read(href);
    this.go({ anomaly, panel, at: anomaly === this.state.anomaly ? this.state.at : 0 }, true);
    const element = target ? document.getElementById(target) : null;
    if (element) this.view?.visit(element);
    else this.view?.article.scrollIntoView({ block: "start" });
  }

  private key(event: KeyboardEvent): void {
    const field = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (field && event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
    if (field || event.ctrlKey || event.metaKey || event.altKey || this.help.open || !this.help.keys) return;
    const acts: Record<string, () => void> = {
      j: () => this.step(1),
      k: () => this.step(-1),
      n: () => this.turnTo(1),
      p: () => this.turnTo(-1),
      "/": () => this.search(),
      e: () => this.view?.expand(),
      d: () => this.turn(),
      "?": () => this.help.show(),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Paper has no folds: what is closed opens for printing, and closes again. */
  private printing(): void {
    let opened: HTMLDetailsElement[] = [];
    addEventListener("beforeprint", () => {
      opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
      for (const details of opened) details.open = true;
    });
    addEventListener("afterprint", () => {
      for (const details of opened) details.open = false;
    });
  }
}

new App();
