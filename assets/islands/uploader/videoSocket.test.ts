import { beforeEach, expect, it, vi } from "vitest";

import { listenToVideos } from "./videoSocket";
import { videoOf } from "./testing";

class FakeSocket extends EventTarget {
  isClosed = false;
  close(): void {
    this.isClosed = true;
  }
  say(data: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(data) }));
  }
}

let sockets: FakeSocket[];
const onVideo = vi.fn();
const onGone = vi.fn();
const onLive = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
});
const listen = () =>
  listenToVideos({ onVideo, onGone, onLive }, (address) => {
    expect(address).toBe("ws://study.test/ws/videos/");
    const socket = new FakeSocket();
    sockets.push(socket);
    return socket as unknown as WebSocket;
  });

it("passes on changes and deletions", () => {
  listen();
  sockets[0]!.dispatchEvent(new Event("open"));
  sockets[0]!.say({ type: "video", video: videoOf({ percent: 7 }) });
  sockets[0]!.say({ type: "gone", uid: "x" });
  sockets[0]!.dispatchEvent(new MessageEvent("message", { data: "no JSON" }));

  expect(onLive).toHaveBeenCalledExactlyOnceWith(true);
  expect(onVideo).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ percent: 7 }));
  expect(onGone).toHaveBeenCalledExactlyOnceWith("x");
});

it("reopens with growing delays, and tells the caller to poll meanwhile", async () => {
  listen();
  for (const wait of [1000, 2000, 4000]) {
    sockets.at(-1)!.dispatchEvent(new Event("close"));
    expect(onLive).toHaveBeenLastCalledWith(false);
    const before = sockets.length;
    await vi.advanceTimersByTimeAsync(wait - 1);
    expect(sockets).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(sockets).toHaveLength(before + 1);
  }
});

it("calls no listener after it was stopped", async () => {
  const stop = listen();
  stop();
  sockets[0]!.dispatchEvent(new Event("close"));
  await vi.advanceTimersByTimeAsync(60_000);

  expect(sockets).toHaveLength(1);
  expect(sockets[0]!.isClosed).toBe(true);
});
