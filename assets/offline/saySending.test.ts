import { beforeEach, expect, it, vi } from "vitest";

import { setStage } from "./testing/page";
import { bytesOf, problem } from "./testing/server";
import { queue, stateOf, until } from "./testing/tab";
import type { Account, Change } from "./types";

const stage = setStage();
let account: Account;

const words = (selector: string): string =>
  document.querySelector(selector)?.textContent.replace(/\s+/g, " ").trim() ?? "";
const change = (kind: "attempt" | "completed"): Change => ({
  id: crypto.randomUUID(),
  kind,
  lesson: "l1",
  made_at: new Date().toISOString(),
});

beforeEach(async () => {
  stage.server.addLesson("l1", [{ name: "a.m4s", bytes: bytesOf(100) }]);
  await queue(stage.tab, stage.server, "l1");
  await until(async () => (await stateOf(stage.tab, "l1")) === "downloaded");
  account = (await stage.tab.readAccount())!;
  stage.tab.stopDownloads();
  document.body.innerHTML = `<main id="main"><div data-island="quiz"></div>
    <script type="application/json">{"lesson_uid": "l1"}</script></main>`;
  delete document.documentElement.dataset.offline;
});

/** What `sendAll` does on a page of the server; returns how often the page was loaded again. */
async function send(): Promise<number> {
  const { saySending } = await import("./saySending");
  const { followUnsentAttempt } = await import("./shell/unsentAttempt");
  const reload = vi.fn();
  await saySending(account);
  await followUnsentAttempt(account, await stage.tab.sendChanges(account), reload);
  return reload.mock.calls.length;
}

it("says on the page of a quiz that an attempt of this device is being sent, then loads it", async () => {
  await stage.tab.addChange(account, change("attempt"), "A quiz");
  let said = "";
  stage.server.intercept = (path) => {
    if (path.includes("/changes/")) said = words(".notice") + words("[data-toasts]");
    return undefined;
  };
  expect(await send()).toBe(1);
  expect(said).toContain("It's being sent, and isn't on this page yet.");
  expect(said).toContain("Sending what you did without a connection");
});

it("says why it isn't there while the server doesn't take it", async () => {
  await stage.tab.addChange(account, change("attempt"), "A quiz");
  stage.server.intercept = (path) =>
    path.includes("/changes/") ? problem(503, "SERVER_ERROR") : undefined;
  expect(await send()).toBe(0);
  expect(words(".notice__body")).toBe("It's sent as soon as the server can take it.");
});

it("interrupts no attempt that is open on the page", async () => {
  document.querySelector("#main")!.insertAdjacentHTML("beforeend", "<p data-open-attempt></p>");
  await stage.tab.addChange(account, change("attempt"), "A quiz");
  expect(await send()).toBe(0);
  expect(words(".notice")).toContain("It has been sent");
  expect(words(".notice button")).toBe("Reload page");
});

it("says nothing in place where the attempt is refused, or is none of this quiz", async () => {
  stage.server.judge = () => ({ state: "refused" });
  await stage.tab.addChange(account, change("attempt"), "A quiz");
  expect(await send()).toBe(0);
  expect(words(".notice")).toBe("");

  stage.server.judge = () => ({});
  await stage.tab.addChange(account, { ...change("attempt"), lesson: "l2" }, "Another");
  expect(await send()).toBe(0);
  expect(words(".notice")).toBe("");
});

it("leaves it to the shell what is shown there", async () => {
  document.documentElement.dataset.offline = "";
  await stage.tab.addChange(account, change("attempt"), "A quiz");
  expect(await send()).toBe(0);
  expect(words(".notice") + words("[data-toasts]")).toBe("");
});
