import { beforeEach, expect, it, vi } from "vitest";

import type { Task, TransportEvents } from "./transport";
import { tusTransportOnDemand } from "./tusTransportOnDemand";

const loaded = vi.hoisted(() => ({ start: vi.fn(), stop: vi.fn(), isReachable: true }));
vi.mock("./tusTransport", () => ({
  tusTransport: (endpoint: string) => {
    if (!loaded.isReachable) throw new Error("not fetched");
    return {
      start: (task: Task, events: TransportEvents) => {
        loaded.start(endpoint, task, events);
        return { stop: loaded.stop };
      },
      findPrevious: () => Promise.resolve(`${endpoint}before`),
      remove: () => Promise.resolve(),
    };
  },
}));

const task: Task = { file: new File(["a"], "a.txt"), target: null, replaces: null, url: null };
const events = {
  onCreated: vi.fn(),
  onProgress: vi.fn(),
  onDone: vi.fn(),
  onFail: vi.fn<TransportEvents["onFail"]>(),
};

beforeEach(() => {
  vi.clearAllMocks();
  loaded.isReachable = true;
});

it("starts and stops an upload once the code is there", async () => {
  const transport = tusTransportOnDemand("/uploads/");
  const running = transport.start(task, events);
  await vi.waitFor(() => expect(loaded.start).toHaveBeenCalledWith("/uploads/", task, events));
  running.stop();

  expect(loaded.stop).toHaveBeenCalledOnce();
  expect(await transport.findPrevious(task.file)).toBe("/uploads/before");
});

it("starts nothing that was stopped before the code came", async () => {
  const transport = tusTransportOnDemand("/uploads/");
  transport.start(task, events).stop();
  await transport.findPrevious(task.file);

  expect(loaded.start).not.toHaveBeenCalled();
  expect(events.onFail).not.toHaveBeenCalled();
});

it("fails like a lost connection if the code can't be fetched, and tries again with the next file", async () => {
  const transport = tusTransportOnDemand("/uploads/");
  loaded.isReachable = false;
  transport.start(task, events);
  await vi.waitFor(() => expect(events.onFail).toHaveBeenCalledOnce());
  expect(events.onFail.mock.calls[0]?.[0].is("UPLOAD_NETWORK_ERROR")).toBe(true);

  loaded.isReachable = true;
  transport.start(task, events);
  await vi.waitFor(() => expect(loaded.start).toHaveBeenCalledOnce());
});
