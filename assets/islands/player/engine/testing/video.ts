/** A media element whose facts a test sets, because jsdom plays nothing. */
export class FakeVideo extends EventTarget {
  currentTime = 0;
  duration = 120;
  paused = true;
  ended = false;
  seeking = false;
  readyState = 0;
  playbackRate = 1;
  defaultPlaybackRate = 1;
  volume = 1;
  muted = false;
  src = "";
  ranges: [number, number][] = [];
  /** Why the browser refuses to play, if it does. */
  refusal: Error | null = null;

  get buffered(): TimeRanges {
    const { ranges } = this;
    return {
      length: ranges.length,
      start: (n: number) => ranges[n]?.[0] ?? 0,
      end: (n: number) => ranges[n]?.[1] ?? 0,
    };
  }

  play(): Promise<void> {
    if (this.refusal) return Promise.reject(this.refusal);
    this.paused = false;
    this.ended = false;
    this.tell("play");
    return Promise.resolve();
  }

  pause(): void {
    this.paused = true;
    this.tell("pause");
  }

  load(): void {
    this.tell("emptied");
  }

  /** Change facts and tell what happened. */
  tell(type: string, facts: Partial<FakeVideo> = {}): void {
    Object.assign(this, facts);
    this.dispatchEvent(new Event(type));
  }

  /** Data has arrived and it runs. */
  run(at = this.currentTime): void {
    this.tell("playing", { readyState: 4, currentTime: at, paused: false });
  }

  /** Play on to a second, in steps as a browser reports them. */
  playTo(time: number, step = 0.25): void {
    while (this.currentTime + step < time)
      this.tell("timeupdate", { currentTime: this.currentTime + step });
    this.tell("timeupdate", { currentTime: time });
  }

  asElement(): HTMLVideoElement {
    return this as unknown as HTMLVideoElement;
  }
}
