import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { StreamEvents } from "../shared/video/stream";
import { startComparedVideos } from "./comparedVideos";

const side = (name: string): string => `
  <figure><div>
    <video controls preload="none" data-master="/media/v/${name}/master.m3u8"><source src="/media/v/${name}/master.m3u8"></video>
    <button type="button" data-compared-start>Play</button>
  </div><div data-compared-failed hidden>It doesn't play.</div></figure>`;

let end: () => void;
let events: StreamEvents[];
const load = vi.fn();
const destroy = vi.fn();
const create = vi.fn((_video: HTMLMediaElement, given: StreamEvents) => {
  events.push(given);
  return Promise.resolve({ load, destroy, choose: () => false, retry: () => undefined });
});

beforeEach(() => {
  document.body.innerHTML = `<section><button data-compared-both><span>Watch both</span></button>${side("old")}${side("new")}</section>`;
  events = [];
  vi.clearAllMocks();
  let playing = new WeakSet<Element>();
  vi.spyOn(HTMLMediaElement.prototype, "play").mockImplementation(function (
    this: HTMLMediaElement,
  ) {
    playing.add(this);
    this.dispatchEvent(new Event("play"));
    return Promise.resolve();
  });
  vi.spyOn(HTMLMediaElement.prototype, "pause").mockImplementation(function (
    this: HTMLMediaElement,
  ) {
    playing.delete(this);
    this.dispatchEvent(new Event("pause"));
  });
  vi.spyOn(HTMLMediaElement.prototype, "paused", "get").mockImplementation(function (
    this: HTMLMediaElement,
  ) {
    return !playing.has(this);
  });
  end = startComparedVideos(create);
  return () => {
    playing = new WeakSet();
  };
});

afterEach(() => {
  end();
  vi.restoreAllMocks();
});

const videos = (): HTMLVideoElement[] => [...document.querySelectorAll("video")];
const press = (selector: string): void => document.querySelector<HTMLElement>(selector)?.click();

describe("compared videos", () => {
  it("load nothing before a press, and then only what was pressed", async () => {
    expect(create).not.toHaveBeenCalled();
    expect(videos().map((video) => video.controls)).toEqual([false, false]);
    press("[data-compared-start]");
    await vi.waitFor(() => expect(videos()[0]?.paused).toBe(false));
    expect(load).toHaveBeenCalledExactlyOnceWith(
      { master: "/media/v/old/master.m3u8", audio: null, sound: null },
      0,
      "auto",
    );
    expect(videos().map((video) => video.controls)).toEqual([true, false]);
    expect(document.querySelector<HTMLElement>("[data-compared-start]")?.hidden).toBe(true);
  });

  it("play together with the sound of the new one, and pause together", async () => {
    press("[data-compared-both]");
    await vi.waitFor(() => expect(videos().some((video) => video.paused)).toBe(false));
    expect(videos().map((video) => video.muted)).toEqual([true, false]);
    const label = document.querySelector("[data-compared-both] span");
    expect(label?.textContent).toBe("Pause both");
    press("[data-compared-both]");
    expect(videos().every((video) => video.paused)).toBe(true);
    expect(label?.textContent).toBe("Watch both");
    press("[data-compared-both]");
    await vi.waitFor(() => expect(videos().some((video) => video.paused)).toBe(false));
    expect(create).toHaveBeenCalledTimes(2);
  });

  it("say where one doesn't play", async () => {
    press("[data-compared-start]");
    await vi.waitFor(() => expect(events).toHaveLength(1));
    events[0]?.onFailed("gone");
    const said = [...document.querySelectorAll<HTMLElement>("[data-compared-failed]")];
    expect(said.map((one) => one.hidden)).toEqual([false, true]);
  });
});
