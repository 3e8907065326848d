// What is looked at, kept in the address, so that a link shows the same.

export type Panel = "timeline" | "graph" | "proof" | "transactions" | "history";
const PANELS: readonly string[] = ["timeline", "graph", "proof", "transactions", "history"];

export interface State {
  /** Which anomaly, from 1; 0 where there is none. */
  anomaly: number;
  panel: Panel;
  /** The place along the cycle, from 1; 0 for none. */
  at: number;
  /** The sentence, arrow or step that was followed by a link, such as `a1-s1-2`. */
  target: string;
  session: string;
  key: string;
  status: string;
  search: string;
  theme: "" | "dark" | "light";
}

export function isPanel(text: string): text is Panel {
  return PANELS.includes(text);
}

const EMPTY: State = {
  anomaly: 0, panel: "timeline", at: 0, target: "", session: "", key: "", status: "", search: "", theme: "",
};

/** The state of an address. `#a2`, as links without a script have it, is the second anomaly. */
export function read(hash: string): State {
  const state = { ...EMPTY };
  const text = hash.replace(/^#/, "");
  const plain = /^a(\d+)(?:-([a-z]+)?([\d-]*))?$/.exec(text);
  if (plain) {
    state.anomaly = Number(plain[1]);
    const part = plain[2] ?? "";
    if (isPanel(part)) state.panel = part;
    else if (part) {
      state.target = text;
      state.panel = part === "s" ? "proof" : part === "e" ? "graph" : "timeline";
    }
    return state;
  }
  if (text === "history") return { ...state, panel: "history" };
  const params = new URLSearchParams(text);
  const number = (name: string): number => Math.max(0, Math.floor(Number(params.get(name)) || 0));
  state.anomaly = number("a");
  state.at = number("at");
  const panel = params.get("tab") ?? "";
  if (isPanel(panel)) state.panel = panel;
  const theme = params.get("theme");
  if (theme === "dark" || theme === "light") state.theme = theme;
  state.session = params.get("session") ?? "";
  state.key = params.get("key") ?? "";
  state.status = params.get("status") ?? "";
  state.search = params.get("q") ?? "";
  return state;
}

/** The address of a state; what is as usual is left out. */
export function write(state: State): string {
  const params = new URLSearchParams();
  const put = (name: string, value: string | number, usual: string | number): void => {
    if (value !== usual) params.set(name, String(value));
  };
  put("a", state.anomaly, state.anomaly ? 1 : 0);
  put("tab", state.panel, "timeline");
  put("at", state.at, 0);
  put("session", state.session, "");
  put("key", state.key, "");
  put("status", state.status, "");
  put("q", state.search, "");
  put("theme", state.theme, "");
  return params.toString();
}
