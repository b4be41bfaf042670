import { expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../../shared/testing/listeners";
import { nothing } from "../keptReport";
import { Connection } from "./connection";
import type { OfflineNotice } from "./notice";
import { reconnect } from "./reconnect";
import { MemoryStore } from "./testing";

forgetListenersAfterEach();

it("notices that the connection is lost again", async () => {
  vi.useFakeTimers();
  const connection = new Connection(
    0,
    () => undefined,
    () => Promise.resolve(true),
  );
  connection.start();
  await connection.check();
  expect(connection.state.isOnline).toBe(true);
  dispatchEvent(new Event("offline"));
  expect(connection.state.isOnline).toBe(false);
  vi.useRealTimers();
});

it("locks the account before it gives way to the pages of another one", async () => {
  const store = new MemoryStore();
  const steps: string[] = [];
  store.lockFor = (user) => {
    steps.push(`lock all but ${user}`);
    return steps.length > 2 ? Promise.reject(new Error("full")) : Promise.resolve();
  };
  const signedIn = { user: { id: "leo", username: "leo" }, token: "t" };
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(signedIn)));
  const comeBack = () =>
    reconnect({
      store,
      notice: {} as OfflineNotice,
      isReplaceable: false,
      showReport: () => undefined,
      works: true,
      takeSynced: () => nothing,
      onLost: () => steps.push("lost"),
      reload: () => steps.push("reload"),
    });
  await comeBack();
  await comeBack(); // what can't be locked must not load itself again and again
  expect(steps).toEqual(["lock all but leo", "reload", "lock all but leo", "lost"]);
});
