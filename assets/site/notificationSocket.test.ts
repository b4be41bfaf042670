import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { listenForNotifications } from "./notificationSocket";

class Door extends EventTarget {
  closed = false;
  close(): void {
    this.closed = true;
  }
  say(data: unknown): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(data) }));
  }
  break(code = 1006): void {
    const event = new Event("close") as Event & { code: number };
    event.code = code;
    this.dispatchEvent(event);
  }
}

let doors: Door[] = [];
const heard: [number, string | undefined][] = [];
const onSignedOut = vi.fn();

function listen(): void {
  listenForNotifications(
    { onUnread: (unread, headline) => heard.push([unread, headline]), onSignedOut },
    (address) => {
      expect(address).toMatch(/^ws:\/\/[^/]+\/ws\/notifications\/$/);
      const door = new Door();
      doors.push(door);
      return door as unknown as WebSocket;
    },
  );
}

forgetListenersAfterEach();

beforeEach(() => {
  vi.useFakeTimers();
  doors = [];
  heard.length = 0;
  onSignedOut.mockReset();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("listenForNotices", () => {
  it("reports the number of unread notifications and ignores invalid messages", () => {
    listen();
    doors[0]?.say({ type: "unread", unread: 2, notice: { headline: "<b>Tide</b>" } });
    doors[0]?.say({ type: "unread", unread: "many" });
    doors[0]?.say(null);
    doors[0]?.dispatchEvent(new MessageEvent("message", { data: "{" }));
    expect(heard).toEqual([[2, "<b>Tide</b>"]]);
  });

  it("reconnects with growing delays, and gives up in the end", () => {
    listen();
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      doors.at(-1)?.break();
      vi.advanceTimersByTime(Math.min(1_000 * 2 ** (attempt - 1), 80_000));
      expect(doors).toHaveLength(attempt); // not yet
      vi.advanceTimersByTime(150_000);
      expect(doors).toHaveLength(attempt + 1);
    }
    doors.at(-1)?.break();
    vi.advanceTimersByTime(3_600_000);
    expect(doors).toHaveLength(9);
  });

  it("starts with short delays again after a connection", () => {
    listen();
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      doors.at(-1)?.dispatchEvent(new Event("open"));
      doors.at(-1)?.break();
      vi.advanceTimersByTime(2_600);
    }
    expect(doors).toHaveLength(21);
  });

  it("reconnects three times after the session has ended", () => {
    listen();
    doors[0]?.dispatchEvent(new Event("open"));
    doors[0]?.break(4401);
    for (const attempt of [1, 2, 3]) {
      vi.advanceTimersByTime(3_600_000);
      expect(doors).toHaveLength(attempt + 1);
      doors[attempt]?.break();
    }
    vi.advanceTimersByTime(3_600_000);
    expect(doors).toHaveLength(4);
  });

  it("reports the end of the session, but not a broken connection", () => {
    listen();
    doors[0]?.dispatchEvent(new Event("open"));
    doors[0]?.break();
    expect(onSignedOut).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_600);
    doors[1]?.dispatchEvent(new Event("open"));
    doors[1]?.break(4401);
    expect(onSignedOut).toHaveBeenCalledOnce();
  });

  it("continues with the new session after signing in again", () => {
    listen();
    for (const place of [0, 1, 2]) {
      doors[place]?.dispatchEvent(new Event("open"));
      doors[place]?.break(4401);
      vi.advanceTimersByTime(2_600);
    }
    expect(doors).toHaveLength(4);
  });

  it("closes while the page is in the back/forward cache and reopens after", () => {
    listen();
    dispatchEvent(new Event("pagehide"));
    expect(doors[0]?.closed).toBe(true);
    doors[0]?.break();
    vi.advanceTimersByTime(3_600_000);
    expect(doors).toHaveLength(1);

    const woken = new Event("pageshow") as Event & { persisted: boolean };
    woken.persisted = true;
    dispatchEvent(woken);
    expect(doors).toHaveLength(2);
  });
});
