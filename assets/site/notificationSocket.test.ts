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
  it("tells what is new, and overhears nonsense", () => {
    listen();
    doors[0]?.say({ type: "unread", unread: 2, notice: { headline: "<b>Tide</b>" } });
    doors[0]?.say({ type: "unread", unread: "many" });
    doors[0]?.say(null);
    doors[0]?.dispatchEvent(new MessageEvent("message", { data: "{" }));
    expect(heard).toEqual([[2, "<b>Tide</b>"]]);
  });

  it("comes back after a break, later each time, and gives up in the end", () => {
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

  it("counts anew once a door has opened", () => {
    listen();
    for (let attempt = 1; attempt <= 20; attempt += 1) {
      doors.at(-1)?.dispatchEvent(new Event("open"));
      doors.at(-1)?.break();
      vi.advanceTimersByTime(2_600);
    }
    expect(doors).toHaveLength(21);
  });

  it("knocks once more when the session has ended, and then stays away", () => {
    listen();
    doors[0]?.dispatchEvent(new Event("open"));
    doors[0]?.break(4401);
    vi.advanceTimersByTime(3_600_000);
    expect(doors).toHaveLength(2);
    doors[1]?.break();
    vi.advanceTimersByTime(3_600_000);
    expect(doors).toHaveLength(2);
  });

  it("says that the session has ended, and of a broken line nothing", () => {
    listen();
    doors[0]?.dispatchEvent(new Event("open"));
    doors[0]?.break();
    expect(onSignedOut).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2_600);
    doors[1]?.dispatchEvent(new Event("open"));
    doors[1]?.break(4401);
    expect(onSignedOut).toHaveBeenCalledOnce();
  });

  it("goes on with the new session of a browser that signed in anew", () => {
    listen();
    for (const place of [0, 1, 2]) {
      doors[place]?.dispatchEvent(new Event("open"));
      doors[place]?.break(4401);
      vi.advanceTimersByTime(2_600);
    }
    expect(doors).toHaveLength(4);
  });

  it("lets go while the page sleeps and listens again when it wakes", () => {
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
