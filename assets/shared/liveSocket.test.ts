import { afterEach, expect, test, vi } from "vitest";

import { openLiveSocket } from "./liveSocket";

class FakeSocket extends EventTarget {
  readyState = 1;
  close(): void {
    this.readyState = 3;
  }
}

afterEach(() => vi.useRealTimers());

function closeWith(code: number) {
  vi.useFakeTimers();
  const opened: FakeSocket[] = [];
  const onRemoved = vi.fn();
  const ending = new AbortController();
  const send = openLiveSocket(
    "/ws/studio/1/",
    { onMessage: () => undefined, onRemoved, signal: ending.signal },
    () => {
      const socket = new FakeSocket();
      opened.push(socket);
      return socket as unknown as WebSocket;
    },
  );
  opened[0]?.dispatchEvent(new CloseEvent("close", { code }));
  vi.advanceTimersByTime(10_000);
  dispatchEvent(new Event("online"));
  ending.abort();
  return { opened, onRemoved, send };
}

test("a socket that broke is opened again", () => {
  const { opened, onRemoved } = closeWith(1006);
  expect(opened.length).toBeGreaterThan(1);
  expect(onRemoved).not.toHaveBeenCalled();
});

test("who was removed hears it once, and nothing after it", () => {
  const { opened, onRemoved, send } = closeWith(4403);
  expect(opened).toHaveLength(1);
  expect(onRemoved).toHaveBeenCalledOnce();
  expect(send({ type: "here" })).toBe(false);
});
