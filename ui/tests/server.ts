// A server of a page that `pages.ts` knows as a file: its rows by parts, and its versions as they come.

import { readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { file } from "./pages";

interface Data {
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

const DATA = /<script type="application\/json" id="history-data">(.*?)<\/script>\n/s;

export class Served {
  version = 7;
  /** What was asked of the rows, in order. */
  readonly asked: URLSearchParams[] = [];
  /** How many milliseconds an answer takes. */
  slow: (params: URLSearchParams) => number = () => 0;
  /** How many transactions the history has by now. Beyond those of the file they begin again, under other names. */
  count: number;
  /** How often the page was fetched. */
  visits = 0;
  /** Whether questions for news are answered. */
  tells = true;
  /** Changes the page that is served. */
  edit: (html: string) => string = (html) => html;
  private readonly html: string;
  private readonly data: Data | undefined;
  private server: Server | undefined;
  private port = 0;
  private held: { since: string; response: ServerResponse }[] = [];

  constructor(name: string, remote: boolean) {
    const html = readFileSync(file(name), "utf8");
    this.html = html.replace("default-src 'none';", "default-src 'none'; connect-src 'self';");
    const data = remote ? DATA.exec(html)?.[1] : undefined;
    this.data = data ? (JSON.parse(data) as Data) : undefined;
    this.count = this.data?.names.length ?? 0;
  }

  get address(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  async start(): Promise<void> {
    this.server = createServer((request, response) => this.answer(new URL(request.url ?? "/", this.address), response));
    await new Promise<void>((done) => this.server?.listen(this.port, "127.0.0.1", done));
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.held = [];
    const closed = new Promise((done) => this.server?.close(done));
    this.server?.closeAllConnections();
    await closed;
  }

  /** Makes a new version and tells those who wait. */
  bump(edit = this.edit): void {
    this.edit = edit;
    this.version += 1;
    this.tell();
  }

  tell(): void {
    if (!this.tells) return;
    const told = this.held.filter(({ since }) => since !== String(this.version));
    this.held = this.held.filter(({ since }) => since === String(this.version));
    for (const { response } of told) send(response, 200, { version: this.version });
  }

  /** The numbers of the transactions that a filter leaves. */
  fitting(params: URLSearchParams): number[] {
    const { data } = this;
    if (!data) return [];
    const [session, status, key, q] = ["session", "status", "key", "q"].map((name) => (params.get(name) ?? "").toLowerCase());
    const fits: number[] = [];
    const witness = new Set(data.witness);
    let end = 0;
    for (let place = 0; place < this.count; place++) {
      const at = place % data.names.length;
      const first = at ? end : 0;
      end = first + (data.sizes[at] ?? 0);
      const some = (fit: (key: string, value: string) => boolean): boolean => {
        for (let i = first; i < end; i++) {
          if (fit((data.keys[(data.events[2 * i] ?? 0) >>> 2] ?? "").toLowerCase(), (data.values[data.events[2 * i + 1] ?? 0] ?? "").toLowerCase())) return true;
        }
        return false;
      };
      if (session && data.sessions[data.session[at] ?? 0]?.toLowerCase() !== session) continue;
      if (status && (status === "anomaly" ? !witness.has(at) : data.status[at] !== status[0])) continue;
      if (key && !some((text) => text.includes(key))) continue;
      if (q && !data.names[at]?.toLowerCase().includes(q) && !some((key, value) => key.includes(q) || value.includes(q))) continue;
      fits.push(place);
    }
    return fits;
  }

  private answer(url: URL, response: ServerResponse): void {
    const { pathname, searchParams } = url;
    if (pathname === "/") {
      this.visits += 1;
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(this.page());
    } else if (pathname === "/rows") {
      this.asked.push(searchParams);
      setTimeout(() => this.rows(searchParams, response), this.slow(searchParams));
    } else if (pathname === "/live") {
      const since = searchParams.get("since") ?? "";
      this.held.push({ since, response });
      this.tell();
    } else response.writeHead(404).end();
  }

  private page(): string {
    const { data, version, count } = this;
    const remote = data ? JSON.stringify({ rows: "rows", version, count, sessions: data.sessions }) : "";
    const html = data ? this.html.replace(DATA, () => `<script type="application/json" id="history-remote">${remote}</script>\n`) : this.html;
    return this.edit(html.replace("<body>", `<body data-live="live" data-version="${version}">`));
  }

  private rows(params: URLSearchParams, response: ServerResponse): void {
    if (params.get("version") !== String(this.version)) return send(response, 409, { version: this.version });
    const fits = this.fitting(params);
    const from = Number(params.get("from"));
    const part = fits.slice(from, from + Math.min(500, Number(params.get("count"))));
    send(response, 200, { version: this.version, total: fits.length, from, data: this.columns(part) });
  }

  /** Some transactions, in the columns of the whole. */
  private columns(places: number[]): Data | undefined {
    const { data } = this;
    if (!data) return undefined;
    const starts = [0];
    for (const size of data.sizes) starts.push((starts.at(-1) ?? 0) + size);
    const names = places.map((place) => (data.names[place % data.names.length] ?? "") + "'".repeat(Math.floor(place / data.names.length)));
    const part = places.map((place) => place % data.names.length);
    const keys = new Map<string, number>();
    const values = new Map<string, number>();
    const number = (texts: Map<string, number>, text: string): number => {
      if (!texts.has(text)) texts.set(text, texts.size);
      return texts.get(text) ?? 0;
    };
    const events: number[] = [];
    for (const at of part) {
      for (let i = starts[at] ?? 0; i < (starts[at + 1] ?? 0); i++) {
        const packed = data.events[2 * i] ?? 0;
        events.push(4 * number(keys, data.keys[packed >>> 2] ?? "") + (packed & 3), number(values, data.values[data.events[2 * i + 1] ?? 0] ?? ""));
      }
    }
    const witness = new Set(data.witness);
    return {
      names,
      sessions: data.sessions,
      session: part.map((at) => data.session[at] ?? 0),
      status: part.map((at) => data.status[at]).join(""),
      lines: part.map((at) => data.lines[at] ?? 0),
      keys: [...keys.keys()],
      values: [...values.keys()],
      sizes: part.map((at) => data.sizes[at] ?? 0),
      events,
      witness: part.flatMap((at, place) => (witness.has(at) ? [place] : [])),
      statements: data.statements,
      sql: Object.fromEntries(part.flatMap((at, place) => (data.sql[at] ? [[place, data.sql[at]]] : []))),
    };
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
