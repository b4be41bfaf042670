/** Pieces of a text as HTML, rendered by the server: formulas and tables within the live editor. */
export type RenderPiece = (source: string) => Promise<string>;

/** Pieces kept; of more, the oldest are forgotten. */
const MAX_PIECES = 500;
const MAX_PARALLEL = 4;

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

  private fetchWaiting(): void {
    for (const source of this.waiting) {
      if (this.running >= MAX_PARALLEL) return;
      this.waiting.delete(source);
      this.running++;
      this.render(source)
        .then(
          (html) => {
            this.known.set(source, html);
            const [oldest] = this.known.keys();
            if (this.known.size > MAX_PIECES && oldest !== undefined) this.known.delete(oldest);
            this.onRendered();
          },
          () => undefined, // offline: the source stays visible
        )
        .finally(() => {
          this.running--;
          this.fetchWaiting();
        });
    }
  }
}
