/** Pieces of a text as HTML, rendered by the server: formulas and tables within the live editor. */
export type RenderPiece = (source: string) => Promise<string>;

/** Pieces kept; of more, the oldest are forgotten. */
const MAX_PIECES = 500;
const MAX_PARALLEL = 4;
/** Of one request. More characters might be too many for the place. */
const MAX_PIECES_PER_REQUEST = 20;
const MAX_REQUEST_LENGTH = 2_000;
/** Stands between pieces of one request: no formula and no table contains a rule. */
const RULE = "\n\n---\n\n";

/**
 * Remembers what pieces look like, and fetches those it does not know a moment after the user paused. A piece that
 * could not be fetched is shown as its source, and tried again when it is asked for later.
 */
export class PieceRenderer {
  private readonly known = new Map<string, string>();
  private readonly waiting = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running = 0;

  constructor(
    private readonly render: RenderPiece,
    private readonly onRendered: () => void,
    private readonly pauseMs = 300,
  ) {}

  /** The sanitized HTML of a piece; undefined while it is not known. */
  htmlOf(source: string): string | undefined {
    const html = this.known.get(source);
    if (html === undefined && !this.waiting.has(source)) {
      this.waiting.add(source);
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.fetchWaiting(), this.pauseMs);
    }
    return html;
  }

  stop(): void {
    clearTimeout(this.timer);
    this.waiting.clear();
  }

  /** The pieces of the next request. */
  private takeWaiting(): string[] {
    const taken: string[] = [];
    let length = 0;
    for (const source of this.waiting) {
      length += source.length + RULE.length;
      if (
        taken.length > 0 &&
        (length > MAX_REQUEST_LENGTH || taken.length === MAX_PIECES_PER_REQUEST)
      )
        break;
      this.waiting.delete(source);
      taken.push(source);
    }
    return taken;
  }

  private fetchWaiting(): void {
    while (this.waiting.size > 0 && this.running < MAX_PARALLEL) {
      const sources = this.takeWaiting();
      this.running++;
      this.fetch(sources)
        .then(
          () => this.onRendered(),
          () => undefined, // offline: the source stays visible
        )
        .finally(() => {
          this.running--;
          this.fetchWaiting();
        });
    }
  }

  private async fetch(sources: readonly string[]): Promise<void> {
    const html = await this.render(sources.join(RULE));
    const parts = sources.length === 1 ? [html] : html.split(/<hr\s*\/?>/);
    if (parts.length === sources.length)
      for (const [at, source] of sources.entries()) this.keep(source, parts[at] ?? "");
    // One of them swallowed a rule, such as a formula without an end.
    else for (const source of sources) this.keep(source, await this.render(source));
  }

  private keep(source: string, html: string): void {
    this.known.set(source, html);
    const [oldest] = this.known.keys();
    if (this.known.size > MAX_PIECES && oldest !== undefined) this.known.delete(oldest);
  }
}
