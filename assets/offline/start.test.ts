import { beforeEach, expect, it, vi } from "vitest";

import { setStage } from "./testing/page";
import { bytesOf, problem } from "./testing/server";
import { openTab, queue, signIn, stateOf, until } from "./testing/tab";
import type { Account, Change } from "./types";
import type { LocalState } from "./values";

const stage = setStage();
let account: Account;

beforeEach(async () => {
  // jsdom parses what the dashboard answers; its own page stays at "/".
  stage.server.addLesson("l1", [{ name: "a.m4s", bytes: bytesOf(100) }]);
  await queue(stage.tab, stage.server, "l1");
  await until(async () => (await stateOf(stage.tab, "l1")) === "downloaded");
  account = (await stage.tab.readAccount())!;
  stage.tab.stopDownloads();
  stage.server.requests = [];
});

const ask = (word: string) => stage.server.requests.filter((line) => line.includes(word));
const change = (): Change => ({
  id: crypto.randomUUID(),
  kind: "completed",
  lesson: "l1",
  made_at: new Date().toISOString(),
  completed: { opened_at: new Date().toISOString() },
});

it("locks what is stored on the page of a visitor", async () => {
  stage.tab = await openTab("");
  stage.tab.session.clear();
  await stage.tab.keepInTouch();
  expect((await stage.tab.readAccountRecord("ada"))!.key).toBeNull();
  expect(stage.server.requests).toEqual([]);
});

it("locks nothing because of a visitor's page that is older than the sign-in", async () => {
  stage.tab = await openTab("");
  signIn(stage.tab, "ada");
  await stage.tab.keepInTouch();
  expect((await stage.tab.readAccountRecord("ada"))!.key).not.toBeNull();
});

it("locks what another account stores, and opens its own again later", async () => {
  stage.tab = await openTab("leo");
  await stage.tab.keepInTouch();
  expect((await stage.tab.readAccountRecord("ada"))!.key).toBeNull();
  expect(stage.server.requests).toEqual([]); // leo stores nothing here

  stage.tab = await openTab("ada");
  await stage.tab.keepInTouch();
  expect(ask("GET /api/v1/offline/devices/device-1/")).toHaveLength(1);
  expect(await stage.tab.readAccount()).toMatchObject({ user: "ada" });
});

it("locks and deletes nothing from a shell that still shows somebody else", async () => {
  await stage.tab.addChange(account, change(), "A lesson");
  const leo = await openTab("leo");
  await leo.startAccount("leo");
  stage.server.signedIn = "leo";
  stage.server.intercept = (path) =>
    path.includes("/devices/device-1/") ? problem(404, "OFFLINE_DEVICE_REMOVED") : undefined;

  const shell = (stage.tab = await openTab("ada")); // as shell/start.ts names its account
  shell.session.assume({ id: "ada", username: "Amara", email: "", role: "student" });
  await shell.keepInTouch();

  expect((await leo.readAccountRecord("leo"))!.key).not.toBeNull();
  const database = await shell.openDatabase();
  expect([await database.count("lessons"), await database.count("outbox")]).toEqual([1, 1]);
  await leo.closeDatabase();
});

it.each([
  ["this tab", () => stage.tab.session.clear()],
  [
    "another tab",
    () => dispatchEvent(new StorageEvent("storage", { key: "study.auth", newValue: null })),
  ],
])("locks when %s signs out", async (_, signOut) => {
  await stage.tab.session.start();
  stage.tab.startOffline();
  signOut();
  await until(async () => (await stage.tab.readAccountRecord("ada"))!.key === null);
});

it("looks again when the page comes back from the back/forward cache", async () => {
  stage.tab.startOffline();
  await new Promise((resolve) => setTimeout(resolve, 30));
  document.querySelector('meta[name="study-user"]')!.setAttribute("content", "");
  stage.tab.session.clear();
  const database = await stage.tab.openDatabase();
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  await until(async () => (await database.get("accounts", "ada"))!.key === null);
});

it("sends what waits, checks in every ten minutes at most, and keeps the cards that are due", async () => {
  await stage.tab.addChange(account, change(), "A lesson");
  await stage.tab.keepInTouch();
  expect(stage.server.applied).toHaveLength(1);
  expect(ask("/check-in/")).toHaveLength(1);
  expect(await stage.tab.readValue(account, "practice")).toEqual({ practice: {}, solutions: [] });
  expect(document.body.textContent).toContain("1 change synced");

  await stage.tab.keepInTouch();
  expect(ask("/check-in/")).toHaveLength(1);
  vi.setSystemTime(Date.now() + 11 * 60_000);
  await stage.tab.keepInTouch();
  expect(ask("/check-in/")).toHaveLength(2);
});

it("asks for nothing while there is nothing to do", async () => {
  await stage.tab.keepInTouch();
  stage.server.requests = [];
  await stage.tab.keepInTouch();
  expect(stage.server.requests).toEqual([]);
});

it("continues what was being stored when the browser was closed", async () => {
  stage.server.addLesson("l2", [{ name: "a.m4s", bytes: bytesOf(100) }]);
  await stage.tab.records.changeRecord(account, "l2", () => null);
  stage.server.intercept = (path) => (path.includes("/media/l2/") ? "lost" : undefined);
  await queue(stage.tab, stage.server, "l2");
  await until(async () => (await stateOf(stage.tab, "l2")) === "held");
  stage.tab.stopDownloads();
  await stage.tab.closeDatabase();
  stage.server.intercept = () => undefined;

  stage.tab = await openTab("ada");
  await stage.tab.keepInTouch();
  await until(async () => (await stateOf(stage.tab, "l2")) === "downloaded");
});

it("stores the shell again when its cache was deleted", async () => {
  await stage.tab.keepInTouch();
  for (const name of await stage.browser.caches.keys()) await stage.browser.caches.delete(name);
  stage.tab = await openTab("ada");
  await stage.tab.keepInTouch();
  await until(async () => (await stage.tab.findShell()) !== undefined);
});

it("deletes what has ended, and removes what is finished if the learner wants that", async () => {
  await stage.tab.writePreferences({ removesFinished: true });
  await stage.tab.keepInTouch();
  expect(await stateOf(stage.tab, "l1")).toBe("downloaded");
  const complete = (attempt: object | null) =>
    stage.tab.writeLocal(account, "l1", { isCompleted: true, attempt } as LocalState);
  const checkInLater = async () => {
    vi.setSystemTime(Date.now() + 11 * 60_000);
    await stage.tab.keepInTouch();
    return stateOf(stage.tab, "l1");
  };
  const paper = { uid: "p1", questions: [], time_limit: 0 };
  await complete({ paper, spent: 0, seenAt: Date.now(), submittedAt: null, isQueued: false });
  expect(await checkInLater()).toBe("downloaded");
  await complete(null);
  history.replaceState(null, "", "/offline?lesson=l1");
  expect(await checkInLater()).toBe("downloaded");
  history.replaceState(null, "", "/");
  document.body.innerHTML = "<video></video>";
  Object.defineProperty(document.querySelector("video"), "paused", { value: false });
  expect(await checkInLater()).toBe("downloaded");
  document.body.innerHTML = "";
  expect(await checkInLater()).toBeUndefined();
});

it("throws nothing when the server fails", async () => {
  await stage.tab.addChange(account, change(), "A lesson");
  stage.server.intercept = () => problem(500, "SERVER_ERROR");
  await stage.tab.keepInTouch();
  stage.server.intercept = () => "lost";
  vi.setSystemTime(Date.now() + 11 * 60_000);
  await stage.tab.keepInTouch();
  expect(await stateOf(stage.tab, "l1")).toBe("downloaded");
  expect(await stage.tab.listChanges(account)).toHaveLength(1);
});

it("keeps the dashboard as the server renders it for this learner, with the shell's files", async () => {
  const { storeDashboard } = await import("./storeDashboard");
  const page = (user: string) =>
    new Response(
      `<html><head><title>Dashboard</title><meta name="study-user" content="${user}">
       <link rel="stylesheet" href="/static/dist/core-ABCDEFGH.css">
       <link rel="stylesheet" href="/static/dist/dashboard-ABCDEFGH.css"></head>
       <body><main class="page dash"><svg><use href="/static/dist/icons-X.svg#a"></use></svg></main></body></html>`,
    );
  stage.server.intercept = (path) => (path === "/me/dashboard" ? page("ada") : undefined);
  await storeDashboard(account);
  expect(await stage.tab.readValue(account, "dashboard")).toMatchObject({
    title: "Dashboard",
    mainClass: "page dash",
    sheets: ["dashboard"],
    html: expect.stringContaining('href="/offline/static/dist/icons-X.svg#a"') as string,
  });

  stage.server.intercept = (path) => (path === "/me/dashboard" ? page("leo") : undefined);
  await stage.tab.writeValue(account, "dashboard", null);
  await storeDashboard(account);
  expect(await stage.tab.readValue(account, "dashboard")).toBeNull();
});
