// The history as columns of numbers, and which of its transactions a filter leaves.

/** As `table.rs` writes it. */
export interface Data {
  names: string[];
  sessions: string[];
  session: number[];
  status: string;
  lines: number[];
  keys: string[];
  values: string[];
  sizes: number[];
  events: number[];
  witness: number[];
  statements: string[];
  sql: Record<string, number[]>;
}

export interface Filter {
  session: string;
  key: string;
  status: string;
  search: string;
}

export interface EventRow {
  key: string;
  value: string;
  write: boolean;
  lock: boolean;
}

const OUTCOMES: Record<string, string> = { c: "committed", a: "aborted", u: "unknown" };

export class History {
  readonly count: number;
  readonly sessions: readonly string[];
  private readonly data: Data;
  private readonly session: Uint32Array;
  /** The first event of each transaction, and one more. */
  private readonly start: Uint32Array;
  private readonly keys: Uint32Array;
  private readonly values: Uint32Array;
  private readonly witness: Set<number>;
  private lower: { names: string[]; keys: string[]; values: string[] } | undefined;

  constructor(data: Data) {
    this.data = data;
    this.count = data.names.length;
    this.sessions = data.sessions;
    this.session = Uint32Array.from(data.session);
    this.start = new Uint32Array(this.count + 1);
    data.sizes.forEach((size, i) => {
      this.start[i + 1] = (this.start[i] ?? 0) + size;
    });
    const events = data.events.length / 2;
    this.keys = new Uint32Array(events);
    this.values = new Uint32Array(events);
    for (let i = 0; i < events; i++) {
      this.keys[i] = data.events[2 * i] ?? 0;
      this.values[i] = data.events[2 * i + 1] ?? 0;
    }
    data.events = [];
    this.witness = new Set(data.witness);
  }

  /** Makes ready what the first search needs, which takes too long while somebody types. */
  prepare(): void {
    const lower = (texts: string[]): string[] => texts.map((text) => text.toLowerCase());
    this.lower ??= { names: lower(this.data.names), keys: lower(this.data.keys), values: lower(this.data.values) };
  }

  name(at: number): string {
    return this.data.names[at] ?? "";
  }

  sessionOf(at: number): string {
    return this.sessions[this.session[at] ?? 0] ?? "";
  }

  status(at: number): string {
    return OUTCOMES[this.data.status[at] ?? ""] ?? "unknown";
  }

  line(at: number): number {
    return this.data.lines[at] ?? 0;
  }

  isWitness(at: number): boolean {
    return this.witness.has(at);
  }

  size(at: number): number {
    return (this.start[at + 1] ?? 0) - (this.start[at] ?? 0);
  }

  /** The events of a transaction, at most so many. */
  events(at: number, most: number): EventRow[] {
    const rows: EventRow[] = [];
    const begin = this.start[at] ?? 0;
    const end = Math.min(this.start[at + 1] ?? 0, begin + most);
    for (let i = begin; i < end; i++) {
      const packed = this.keys[i] ?? 0;
      rows.push({
        key: this.data.keys[packed >>> 2] ?? "",
        value: this.data.values[this.values[i] ?? 0] ?? "",
        write: (packed & 1) !== 0,
        lock: (packed & 2) !== 0,
      });
    }
    return rows;
  }

  statements(at: number): string[] {
    return (this.data.sql[at] ?? []).map((number) => this.data.statements[number] ?? "");
  }

  /** The transactions that fit, in order. */
  filter(by: Filter): Uint32Array {
    const session = by.session === "" ? -1 : this.sessions.indexOf(by.session);
    const status = by.status === "" ? "" : (by.status[0] ?? "");
    const key = this.matching("keys", by.key);
    const search = by.search.trim().toLowerCase();
    const found = { names: this.matching("names", search), keys: this.matching("keys", search), values: this.matching("values", search) };
    const fits = new Uint32Array(this.count);
    let count = 0;
    for (let at = 0; at < this.count; at++) {
      if (by.session !== "" && this.session[at] !== session) continue;
      if (by.status === "anomaly" ? !this.witness.has(at) : status && this.data.status[at] !== status) continue;
      if (key && !this.touches(at, key, undefined)) continue;
      if (found.names && !found.names[at] && !this.touches(at, found.keys, found.values)) continue;
      fits[count++] = at;
    }
    return fits.subarray(0, count);
  }

  /** Whether an event of a transaction has one of these keys or values. */
  private touches(at: number, keys: Uint8Array | undefined, values: Uint8Array | undefined): boolean {
    const end = this.start[at + 1] ?? 0;
    for (let i = this.start[at] ?? 0; i < end; i++) {
      if (keys?.[(this.keys[i] ?? 0) >>> 2]) return true;
      if (values?.[this.values[i] ?? 0]) return true;
    }
    return false;
  }

  /** Which texts of a column have this one inside; nothing where it is empty. */
  private matching(column: "names" | "keys" | "values", text: string): Uint8Array | undefined {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return undefined;
    this.prepare();
    const texts = this.lower?.[column] ?? [];
    const fits = new Uint8Array(texts.length);
    for (let i = 0; i < texts.length; i++) if (texts[i]?.includes(wanted)) fits[i] = 1;
    return fits;
  }
}
