// Where the table of the history gets its transactions: the page itself, or a server.

import type { Filter, History } from "./history";

/** A transaction, and the history that has it. */
export interface Found {
  history: History;
  at: number;
}

/** What is new: what another filter leaves, rows that were awaited, or only what there is to tell. */
export type News = "filter" | "rows" | "trouble";

/** Transactions in order. A place counts, from 0, those that the filter leaves. */
export interface Rows {
  readonly sessions: readonly string[];
  /** How many there are without a filter. */
  readonly all: number;
  /** How many the filter leaves. */
  readonly total: number;
  /** Why rows are missing, in words; empty where all is well. */
  readonly trouble: string;
  /** Called when there are news. */
  changed: (news: News) => void;
  /** Filters anew; "filter" is the news when that is done. */
  choose(by: Filter): void;
  /** Says which places are in view. */
  look(from: number, count: number): void;
  /** The transaction at a place, or nothing while it is not there yet. */
  at(place: number): Found | undefined;
  /** Ends what is under way; there are no more news. */
  close(): void;
}

/** The rows of a history that is in the page. */
export class EmbeddedRows implements Rows {
  readonly sessions: readonly string[];
  readonly all: number;
  readonly trouble = "";
  changed: (news: News) => void = () => {};
  private fits: Uint32Array = new Uint32Array();

  constructor(private readonly history: History) {
    this.sessions = history.sessions;
    this.all = history.count;
    requestIdleCallback(() => history.prepare(), { timeout: 2000 });
  }

  get total(): number {
    return this.fits.length;
  }

  choose(by: Filter): void {
    this.fits = this.history.filter(by);
    this.changed("filter");
  }

  look(): void {}

  at(place: number): Found | undefined {
    const at = this.fits[place];
    return at === undefined ? undefined : { history: this.history, at };
  }

  close(): void {
    this.changed = () => {};
  }
}
