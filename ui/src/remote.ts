// The rows of a history that a server holds. They come in chunks, when they are looked at.

import { History, type Data, type Filter } from "./history";
import type { Found, News, Rows } from "./rows";

/** How many transactions a chunk has. */
const CHUNK = 200;
/** How many chunks are kept; those looked at last stay. */
const KEPT = 50;
/** How many requests are under way at once. */
const AT_ONCE = 2;
/** How many milliseconds somebody who types may pause before the filter is asked for. */
const TYPING = 150;

/** What the page says of the history it shows. */
export interface Remote {
  /** The address of the rows, relative to the page. */
  rows: string;
  version: number;
  count: number;
  sessions: string[];
}

interface Answer {
  total: number;
  data: Data;
}

interface Chunk {
  history: History;
  version: number;
}

export class RemoteRows implements Rows {
  readonly sessions: readonly string[];
  readonly all: number;
  total: number;
  trouble = "";
  changed: (news: News) => void = () => {};
  /** By number; the one looked at last comes last. */
  private readonly chunks: Map<number, Chunk>;
  /** The chunks that are under way. */
  private readonly asked = new Set<number>();
  /** The filter whose rows are shown. */
  private by: Filter | undefined;
  /** The filter that was chosen since, until its first rows come. */
  private next: Filter | undefined;
  private view = { from: 0, count: 0 };
  /** Nothing more is asked: the server has a newer version, or the table is gone. */
  private ended = false;
  private typing = 0;
  private requests = new AbortController();

  /** The rows of an older version stay in view until their successors come. */
  constructor(private readonly remote: Remote, before?: RemoteRows) {
    this.sessions = remote.sessions;
    this.all = remote.count;
    this.chunks = new Map(before?.chunks);
    this.by = before?.by;
    this.total = before?.total ?? remote.count;
  }

  choose(by: Filter): void {
    this.giveUp();
    this.by ??= by;
    this.next = same(by, this.by) ? undefined : by;
    if (this.next) this.typing = setTimeout(() => this.load(), TYPING);
    else this.changed("filter");
  }

  look(from: number, count: number): void {
    this.view = { from, count };
    this.load();
  }

  at(place: number): Found | undefined {
    const history = this.chunks.get(Math.floor(place / CHUNK))?.history;
    const at = place % CHUNK;
    return history && at < history.count ? { history, at } : undefined;
  }

  close(): void {
    this.changed = () => {};
    this.giveUp();
    this.ended = true;
  }

  /** Gives up what is under way. */
  private giveUp(): void {
    clearTimeout(this.typing);
    this.requests.abort();
    this.requests = new AbortController();
    this.asked.clear();
  }

  /** Asks for the chunks in view that are not here, or for the first of a new filter. */
  private load(): void {
    if (this.ended) return;
    const { from, count } = this.next ? { from: 0, count: 1 } : this.view;
    const first = Math.floor(from / CHUNK);
    const last = Math.max(first, Math.floor((from + count - 1) / CHUNK));
    for (let number = first; number <= last; number++) {
      const chunk = this.chunks.get(number);
      if (chunk && !this.next) {
        this.chunks.delete(number);
        this.chunks.set(number, chunk);
        if (chunk.version === this.remote.version) continue;
      }
      if (!this.asked.has(number) && this.asked.size < AT_ONCE) void this.ask(number);
    }
  }

  private async ask(number: number): Promise<void> {
    const { signal } = this.requests;
    const { next } = this;
    this.asked.add(number);
    let answer: Answer | undefined;
    try {
      const response = await fetch(this.address(number), { signal });
      if (response.status === 409) this.ended = true;
      else if (!response.ok) throw new Error(response.statusText);
      else answer = (await response.json()) as Answer;
      this.trouble = "";
    } catch {
      if (!signal.aborted) this.trouble = "the server does not answer; does it still run?";
    }
    if (signal.aborted) return;
    this.asked.delete(number);
    if (answer) this.receive(number, answer, next);
    else this.changed("trouble");
  }

  private address(number: number): string {
    const { session, key, status, search } = this.next ?? this.by ?? { session: "", key: "", status: "", search: "" };
    const params = new URLSearchParams({ version: String(this.remote.version) });
    for (const [name, value] of Object.entries({ session, key, status, q: search })) if (value) params.set(name, value);
    params.set("from", String(number * CHUNK));
    params.set("count", String(CHUNK));
    return `${this.remote.rows}?${params}`;
  }

  private receive(number: number, answer: Answer, next: Filter | undefined): void {
    this.total = answer.total;
    if (next) {
      this.by = next;
      this.next = undefined;
      this.chunks.clear();
    }
    this.chunks.set(number, { history: new History(answer.data), version: this.remote.version });
    for (const oldest of this.chunks.keys()) {
      if (this.chunks.size <= KEPT) break;
      this.chunks.delete(oldest);
    }
    this.changed(next ? "filter" : "rows");
  }
}

function same(one: Filter, other: Filter): boolean {
  return one.session === other.session && one.key === other.key && one.status === other.status && one.search === other.search;
}
