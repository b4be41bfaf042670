import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { type Browser, define, stubBrowser } from "./testing/browser";
import { bytesOf, type FakeResource, FakeServer, problem, REFUSAL } from "./testing/server";
import { holds, openTab, queue, stateOf, type Tab, until } from "./testing/tab";

const MIB = 1024 * 1024;

let browser: Browser;
let server: FakeServer;
let tab: Tab;

forgetListenersAfterEach();
beforeEach(async () => {
  browser = stubBrowser();
  server = new FakeServer();
  vi.stubGlobal("fetch", server.fetch);
  tab = await openTab();
});
afterEach(async () => {
  tab.stopDownloads();
  define("onLine", true);
  await tab.closeDatabase();
});

const isDownloaded = (uid: string) => async () => (await stateOf(tab, uid)) === "downloaded";

it("stores a lesson with all of its resources, of known and unknown size, empty ones too", async () => {
  const resources = [
    { name: "720p/index.m3u8", bytes: bytesOf(500, 1), isUnmeasured: true },
    { name: "720p/00001.m4s", bytes: bytesOf(2 * MIB + 77, 2) },
    { name: "720p/00002.m4s", bytes: bytesOf(MIB, 3) },
    { name: "captions/en.vtt", bytes: bytesOf(MIB, 4), isUnmeasured: true },
    { name: "empty.txt", bytes: bytesOf(0) },
    { name: "nothing.txt", bytes: bytesOf(0), isUnmeasured: true },
  ];
  server.addLesson("l1", resources);

  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));

  for (const one of resources) expect(await holds(tab, "l1", one)).toBe(true);
  const [lesson] = await tab.listLessons((await tab.readAccount())!);
  const size = resources.reduce((sum, { bytes }) => sum + bytes.length, 0);
  expect(lesson).toMatchObject({
    size,
    received: size,
    title: "Secret title of l1",
    refusal: null,
  });
});

/** Three segments and a text of unknown size. */
const VIDEO = [
  { name: "720p/00001.m4s", bytes: bytesOf(2 * MIB + 77, 2) },
  { name: "720p/00002.m4s", bytes: bytesOf(MIB, 3) },
  { name: "720p/00003.m4s", bytes: bytesOf(900, 4) },
  { name: "en.vtt", bytes: bytesOf(300, 5), isUnmeasured: true },
];

async function expectAll(uid: string, resources: FakeResource[] = VIDEO): Promise<void> {
  for (const one of resources) expect(await holds(tab, uid, one)).toBe(true);
}

/** A request for bytes: of media, not of the shell. */
const ofMedia = (line: string) => line.includes("/media/l");

it("stores one lesson after the other, the shell before the first, and its page last", async () => {
  for (const uid of ["l1", "l2", "l3"]) server.addLesson(uid, VIDEO.slice(2));

  await queue(tab, server, "l1", "l2", "l3");
  await until(isDownloaded("l3"));

  const packages = server.requests.filter((line) => line.includes("/lessons/"));
  expect(packages.map((line) => line.split("/").at(-2))).toEqual(["l1", "l2", "l3"]);
  expect(server.requests.indexOf("GET /api/v1/offline/shell/")).toBeLessThan(
    server.requests.indexOf(packages[0]!),
  );
  const shell = [...browser.caches.stored.get("study-shell-b1")!.entries.keys()];
  expect(shell.at(-1)).toBe(`${location.origin}/offline`);
});

it("fetches at most three resources at once", async () => {
  let open = 0;
  let most = 0;
  server.onChunk = async () => {
    open += 1;
    most = Math.max(most, open);
    await new Promise((resolve) => setTimeout(resolve, 1));
    open -= 1;
  };
  const names = Array.from({ length: 9 }, (_, index) => ({ name: `${index}`, bytes: bytesOf(9) }));
  server.addLesson("l1", names);
  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));
  expect(most).toBeLessThanOrEqual(3);
});

it("counts a lesson as downloaded only when every resource is there", async () => {
  server.addLesson("l1", VIDEO);
  server.intercept = (path) => (path.endsWith("00002.m4s") ? "lost" : undefined);
  await queue(tab, server, "l1");
  await until(async () => (await stateOf(tab, "l1")) === "held");

  const account = (await tab.readAccount())!;
  expect(await tab.readPackage(account, "l1")).toBeNull();

  server.intercept = () => undefined;
  dispatchEvent(new Event("online"));
  await until(isDownloaded("l1"));
  await expectAll("l1");
  expect((await tab.readPackage(account, "l1"))!.page.html).toContain("Secret text");
});

it("resumes within a resource, and asks only for what is missing", async () => {
  server.addLesson("l1", [VIDEO[0]!]);
  let chunks = 0;
  server.onChunk = () => {
    chunks += 1;
    if (chunks === 5) throw new TypeError("The connection was lost");
  };
  await queue(tab, server, "l1");
  await until(async () => (await stateOf(tab, "l1")) === "held");
  const account = (await tab.readAccount())!;
  expect((await tab.readLesson(account, "l1"))!.received).toBe(MIB);

  server.requests = [];
  dispatchEvent(new Event("online"));
  await until(isDownloaded("l1"));

  expect(server.requests.filter(ofMedia)).toEqual([`GET /media/l1/720p/00001.m4s bytes=${MIB}-`]);
  await expectAll("l1", [VIDEO[0]!]);
});

it("takes the whole file where the server knows no ranges", async () => {
  server.addLesson("l1", [VIDEO[0]!]);
  let chunks = 0;
  server.onChunk = () => {
    chunks += 1;
    if (chunks === 5) throw new TypeError("The connection was lost");
  };
  await queue(tab, server, "l1");
  await until(async () => (await stateOf(tab, "l1")) === "held");
  server.intercept = (path) => (path.endsWith(".m4s") ? new Response(VIDEO[0]!.bytes) : undefined);

  dispatchEvent(new Event("online"));
  await until(isDownloaded("l1"));
  await expectAll("l1", [VIDEO[0]!]);
});

it("asks for the lesson again when its addresses have expired", async () => {
  server.addLesson("l1", VIDEO);
  server.onChunk = (path) => {
    if (path.endsWith("00001.m4s") && server.signature === 1) server.signature = 2;
  };
  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));
  await expectAll("l1");
  expect(server.requests.filter((line) => line.includes("/lessons/"))).toHaveLength(2);
});

it.each([403, 404, 410])("fails with a reason when a file stays away (%d)", async (status) => {
  server.addLesson("l1", VIDEO);
  server.addLesson("l2", VIDEO.slice(2));
  server.intercept = (path) =>
    path.endsWith("l1/720p/00002.m4s") ? new Response("", { status }) : undefined;

  await queue(tab, server, "l1", "l2");
  await until(isDownloaded("l2"));

  const account = (await tab.readAccount())!;
  const lesson = await tab.readLesson(account, "l1");
  expect(lesson).toMatchObject({ state: "failed", refusal: { code: "OFFLINE_FILE_MISSING" } });
  server.intercept = () => undefined;
  await tab.retryLesson(account, "l1");
  await until(isDownloaded("l1"));
  expect((await tab.readLesson(account, "l1"))!.refusal).toBeNull();
});

it.each([
  ["larger", bytesOf(MIB + 1, 3)],
  ["smaller", bytesOf(MIB - 1, 3)],
])("refuses a file that is %s than it was described", async (_, bytes) => {
  server.addLesson("l1", VIDEO);
  server.intercept = (path) =>
    path.endsWith("00002.m4s")
      ? new Response(bytes, { headers: { "Content-Length": String(bytes.length) } })
      : undefined;
  await queue(tab, server, "l1");
  await until(async () => (await stateOf(tab, "l1")) === "failed");
});

it("says what the server says when it refuses a lesson", async () => {
  const { uid } = server.addLesson("l1", VIDEO, { refusal: REFUSAL });
  await queue(tab, server, uid);
  await until(async () => (await stateOf(tab, uid)) === "failed");
  const lesson = await tab.readLesson((await tab.readAccount())!, uid);
  expect(lesson!.refusal).toMatchObject({ code: "ENROLLMENT_REQUIRED" });
});

it("starts a lesson again that has changed meanwhile, and keeps what has the same content", async () => {
  const lesson = server.addLesson("l1", [
    { name: "a.m4s", bytes: bytesOf(900, 1), content: "video-1" },
    { name: "b.vtt", bytes: bytesOf(900, 2) },
    { name: "c.m4s", bytes: bytesOf(900, 3), content: "video-1" },
  ]);
  server.intercept = async (path) => {
    if (!path.endsWith("c.m4s")) return undefined;
    await until(
      async () => (await tab.readLesson((await tab.readAccount())!, "l1"))!.received === 1800,
    );
    return "lost";
  };
  await queue(tab, server, "l1");
  await until(async () => (await stateOf(tab, "l1")) === "held");

  lesson.stamp = "s2";
  lesson.resources[1]!.bytes = bytesOf(900, 9);
  server.signature = 2;
  server.intercept = () => undefined;
  server.requests = [];
  vi.setSystemTime(Date.now() + 6 * 60_000); // the package is asked for again
  dispatchEvent(new Event("online"));
  await until(isDownloaded("l1"));

  expect(server.requests.filter(ofMedia).sort()).toEqual([
    "GET /media/l1/b.vtt",
    "GET /media/l1/c.m4s",
  ]);
  await expectAll("l1", lesson.resources);
});

it("keeps the old copy of a lesson that can be opened until the new one is complete", async () => {
  const lesson = server.addLesson("l1", [{ name: "a.vtt", bytes: bytesOf(900, 1) }]);
  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));
  const account = (await tab.readAccount())!;

  Object.assign(lesson, { stamp: "s2", html: "<p>New</p>" });
  lesson.resources = [{ name: "a.vtt", bytes: bytesOf(800, 2) }];
  server.intercept = (path) => (path.endsWith("a.vtt") ? "lost" : undefined);
  await tab.checkIn(account);
  await tab.runDownloads();
  expect(await stateOf(tab, "l1")).toBe("downloaded");
  expect(await holds(tab, "l1", { name: "a.vtt", bytes: bytesOf(900, 1) })).toBe(true);
  expect((await tab.readPackage(account, "l1"))!.page.html).toContain("Secret");

  server.intercept = () => undefined;
  await tab.runDownloads();
  expect(await holds(tab, "l1", lesson.resources[0]!)).toBe(true);
  expect((await tab.readPackage(account, "l1"))!.page.html).toContain("New");
  expect((await tab.readLesson(account, "l1"))!.received).toBe(800);
  const database = await tab.openDatabase();
  expect(await database.count("pieces")).toBe(1);
  expect(await database.count("packages")).toBe(1);
});

it("leaves out what can't be read, and stores a package that can't be read again", async () => {
  for (const uid of ["l1", "l2"]) server.addLesson(uid, VIDEO.slice(2));
  await queue(tab, server, "l1", "l2");
  await until(isDownloaded("l2"));
  await until(() => !browser.locks.isHeld("study-offline-downloads"));
  const account = (await tab.readAccount())!;
  await tab.writeLocal(account, "l1", { position: 1 });
  const database = await tab.openDatabase();
  const spoil = <T extends object>(sealed: T): T => ({ ...sealed, iv: new Uint8Array(12) });
  const [pack] = await database.getAll("packages");
  const { page, resources } = pack!;
  await database.put("packages", { ...pack!, page: spoil(page), resources: spoil(resources) });
  const [state] = await database.getAll("progress");
  await database.put("progress", { ...state!, sealed: spoil(state!.sealed) });
  const [lesson] = await database.getAll("lessons");
  await database.put("lessons", { ...lesson!, summary: spoil(lesson!.summary) });
  expect((await tab.listLessons(account)).map(({ uid }) => uid)).toEqual(["l2"]);
  expect(await tab.readLocal(account, "l1")).toBeNull();

  await expect(tab.readPackage(account, "l1")).rejects.toThrow();
  await tab.checkIn(account);
  await tab.runDownloads();
  expect(await tab.readPackage(account, "l1")).not.toBeNull();
  await expectAll("l1", VIDEO.slice(2));
  expect(await tab.listLessons(account)).toHaveLength(2);
});

it("pauses from another tab at once, resumes, and cancels without a trace", async () => {
  const other = await openTab();
  server.addLesson("l1", VIDEO);
  let release = (): void => undefined;
  server.onChunk = () => new Promise((resolve) => (release = resolve));
  await queue(tab, server, "l1");
  await until(
    async () => (await stateOf(tab, "l1")) === "downloading" && server.requests.some(ofMedia),
  );
  const account = (await other.readAccount())!;

  await other.pauseLesson(account, "l1");
  await until(() => !browser.locks.isHeld("study-offline-downloads"));
  expect(await stateOf(tab, "l1")).toBe("paused");
  release();
  server.onChunk = () => undefined;

  await other.resumeLesson(account, "l1");
  await until(isDownloaded("l1"));
  await expectAll("l1");

  server.addLesson("l2", VIDEO);
  server.onChunk = () => new Promise(() => undefined);
  await queue(tab, server, "l2");
  await until(async () => (await stateOf(tab, "l2")) === "downloading");
  await other.cancelLesson(account, "l2");
  await until(() => !browser.locks.isHeld("study-offline-downloads"));
  expect(await stateOf(tab, "l2")).toBeUndefined();
  const database = await tab.openDatabase();
  const keys = [
    ...(await database.getAllKeys("pieces")),
    ...(await database.getAllKeys("packages")),
  ];
  expect(keys.filter((key) => key[1] === "l2")).toEqual([]);
  await other.closeDatabase();
});

it("downloads in one tab only, and the next tab continues when that one is closed", async () => {
  server.addLesson("l1", VIDEO);
  server.onChunk = (path) => {
    if (path.endsWith("00002.m4s")) server.isHanging = true;
  };
  await queue(tab, server, "l1");
  await until(() => server.isHanging);
  const other = await openTab();
  const waiting = other.runDownloads();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await stateOf(other, "l1")).toBe("downloading");

  server.isHanging = false;
  server.onChunk = () => undefined;
  const received = new Set<number>();
  const stop = tab.subscribeToLibrary((event) => {
    if (event.kind === "progress") received.add(event.received);
  });
  browser.locks.killHolder("study-offline-downloads");
  await waiting;
  expect(await stateOf(other, "l1")).toBe("downloaded");
  await expectAll("l1");
  // The first tab heard of what the other one did.
  await until(() => received.size > 0);
  stop();
  other.stopDownloads();
  await other.closeDatabase();
});

it("fails with a reason when the storage is full, and keeps what has arrived", async () => {
  server.addLesson("l1", VIDEO);
  const put = IDBObjectStore.prototype.put;
  let pieces = 0;
  vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(function (
    this: IDBObjectStore,
    ...args
  ) {
    if (this.name === "pieces" && ++pieces > 2)
      throw new DOMException("Full", "QuotaExceededError");
    return put.apply(this, args);
  });
  await queue(tab, server, "l1");
  await until(async () => (await stateOf(tab, "l1")) === "failed");
  const account = (await tab.readAccount())!;
  const lesson = await tab.readLesson(account, "l1");
  expect(lesson).toMatchObject({ refusal: { code: "OFFLINE_STORAGE_FULL" } });
  expect(await (await tab.openDatabase()).count("pieces")).toBe(2);

  vi.restoreAllMocks();
  await tab.retryLesson(account, "l1");
  await until(isDownloaded("l1"));
  await expectAll("l1");
});

it("says so even where the storage is too full to write that down", async () => {
  server.addLesson("l1", VIDEO);
  const put = IDBObjectStore.prototype.put;
  let pieces = 0;
  vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(function (
    this: IDBObjectStore,
    ...args
  ) {
    if (this.name === "pieces") pieces += 1;
    if (pieces > 2) throw new DOMException("Full", "QuotaExceededError");
    return put.apply(this, args);
  });
  await queue(tab, server, "l1");
  const account = (await tab.readAccount())!;
  const read = () => tab.readLesson(account, "l1");
  await until(async () => (await read())?.state === "failed");
  expect(await read()).toMatchObject({ refusal: { code: "OFFLINE_STORAGE_FULL" } });
  const written = await tab.records.readRecord(account.user, "l1");
  expect(written?.state).toBe("downloading");

  await tab.retryLesson(account, "l1");
  await until(async () => (await read())?.state === "failed");
  vi.restoreAllMocks();
  await tab.retryLesson(account, "l1");
  await until(isDownloaded("l1"));
  await expectAll("l1");
});

it("opens, plays and lists what is stored while the storage is full", async () => {
  server.addLesson("l1", VIDEO.slice(2));
  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));
  const account = (await tab.readAccount())!;
  vi.setSystemTime(Date.now() + 120_000); // the clock would be written down
  vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(() => {
    throw new DOMException("Full", "QuotaExceededError");
  });
  await expectAll("l1", VIDEO.slice(2));
  expect(await tab.readPackage(account, "l1")).not.toBeNull();
  expect(await tab.listLessons(account)).toHaveLength(1);
});

it("does not begin what the browser has no room for, or the learner allows none", async () => {
  server.addLesson("l1", VIDEO);
  browser.quota = 3 * MIB;
  await queue(tab, server, "l1");
  await until(async () => (await stateOf(tab, "l1")) === "failed");
  const account = (await tab.readAccount())!;
  expect((await tab.readLesson(account, "l1"))!.refusal!.code).toBe("OFFLINE_STORAGE_FULL");
  browser.quota = 1e10;
  await tab.writePreferences({ limit: MIB });
  await tab.retryLesson(account, "l1");
  await until(
    async () => (await tab.readLesson(account, "l1"))!.refusal?.code === "OFFLINE_LIMIT_REACHED",
  );
  expect(server.requests.filter(ofMedia)).toEqual([]);
});

it("waits for Wi-Fi if the learner wants that, and the browser can tell", async () => {
  const connection = Object.assign(new EventTarget(), { type: "cellular" });
  define("connection", connection);
  try {
    await tab.writePreferences({ isWifiOnly: true });
    server.addLesson("l1", VIDEO);
    await queue(tab, server, "l1");
    await until(async () => (await stateOf(tab, "l1")) === "held");
    expect(server.requests.filter(ofMedia)).toEqual([]);
    connection.type = "wifi";
    connection.dispatchEvent(new Event("change"));
    await until(isDownloaded("l1"));
  } finally {
    define("connection", undefined);
  }
});

it("leaves off when the learner wants Wi-Fi while a lesson comes over another connection", async () => {
  define("connection", Object.assign(new EventTarget(), { type: "cellular" }));
  try {
    server.addLesson("l1", VIDEO);
    server.onChunk = (path) => (path.includes("/l1/") ? new Promise(() => undefined) : undefined);
    await queue(tab, server, "l1");
    await until(() => server.requests.some(ofMedia));
    await tab.writePreferences({ isWifiOnly: true });
    await until(async () => (await stateOf(tab, "l1")) === "held");
  } finally {
    define("connection", undefined);
  }
});

it("stores the others where the server fails on a lesson, and tries that one again", async () => {
  for (const uid of ["l1", "l2"]) server.addLesson(uid, VIDEO.slice(2));
  const fails = (path: string) => path.includes("/lessons/l1/");
  server.intercept = (path) => (fails(path) ? problem(500, "SERVER_ERROR") : undefined);
  await queue(tab, server, "l1", "l2");
  await until(isDownloaded("l2"));
  await until(() => !browser.locks.isHeld("study-offline-downloads"));
  expect(await stateOf(tab, "l1")).toBe("held");
  server.intercept = () => undefined;
  await tab.runDownloads();
  expect(await stateOf(tab, "l1")).toBe("downloaded");
});

it("leaves off where the server fails on one lesson after the other, and begins with others then", async () => {
  const uids = ["l1", "l2", "l3", "l4"];
  for (const uid of uids) server.addLesson(uid, VIDEO.slice(2));
  server.intercept = (path) =>
    /\/lessons\/l[123]\//.test(path) ? problem(500, "SERVER_ERROR") : undefined;
  await queue(tab, server, ...uids);
  await until(async () => (await stateOf(tab, "l4")) === "held");
  expect(server.requests.filter((line) => line.includes("/lessons/"))).toHaveLength(3);
  await until(() => !browser.locks.isHeld("study-offline-downloads"));
  await tab.runDownloads();
  expect(await stateOf(tab, "l4")).toBe("downloaded");
});

it("moves to a new build without the only lesson, if the server sends others", async () => {
  for (const uid of ["l1", "l2"]) server.addLesson(uid, VIDEO.slice(2));
  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));
  await tab.runDownloads();
  const account = (await tab.readAccount())!;
  server.build = "b2";
  server.intercept = (path) =>
    path.includes("/lessons/l1/") ? problem(500, "SERVER_ERROR") : undefined;
  await tab.checkIn(account);
  await tab.runDownloads();
  expect((await tab.readPackage(account, "l1"))!.build).toBe("b1");
  await queue(tab, server, "l2");
  await until(isDownloaded("l2"));
});

it("moves to a new build without a lesson on which the server fails", async () => {
  for (const uid of ["l1", "l2"]) server.addLesson(uid, VIDEO.slice(2));
  await queue(tab, server, "l1", "l2");
  await until(isDownloaded("l2"));
  await until(() => !browser.locks.isHeld("study-offline-downloads"));
  server.build = "b2";
  server.intercept = (path) =>
    path.includes("/lessons/l1/") ? problem(500, "SERVER_ERROR") : undefined;
  await tab.checkIn((await tab.readAccount())!);
  await tab.runDownloads();
  expect(await (await tab.findShell())!.text()).toContain("Shell b2");
  expect([await stateOf(tab, "l1"), await stateOf(tab, "l2")]).toEqual(["held", "downloaded"]);
});

it("stores what is queued while a run ends", async () => {
  server.addLesson("l1", VIDEO.slice(2));
  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));
  await until(() => !browser.locks.isHeld("study-offline-downloads"));
  server.addLesson("l2", VIDEO.slice(2));
  const { match } = browser.caches;
  let isLooking = false;
  let goOn = (): void => undefined;
  browser.caches.match = async (...args) => {
    isLooking = true;
    await new Promise<void>((resolve) => (goOn = resolve));
    return match(...args);
  };
  const run = tab.runDownloads(); // it has read the list when it looks for the shell
  await until(() => isLooking);
  await queue(tab, server, "l2");
  browser.caches.match = match;
  goOn();
  await run;
  await until(isDownloaded("l2"));
});

it("updates and renews lessons over a limit that was lowered since", async () => {
  server.addLesson("l1", VIDEO);
  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));
  const account = (await tab.readAccount())!;
  await tab.writePreferences({ limit: MIB });
  await tab.runDownloads();
  const { storedAt } = (await tab.readLesson(account, "l1"))!;
  server.build = "b2";
  vi.setSystemTime(Date.now() + 1000);
  await tab.checkIn(account);
  await tab.runDownloads();
  expect(await (await tab.findShell())!.text()).toContain("Shell b2");
  await tab.renewLessons(account, ["l1"]);
  await tab.runDownloads();
  // It counts as stored when it was stored first: what is oldest goes first.
  expect(await tab.readLesson(account, "l1")).toMatchObject({ state: "downloaded", storedAt });
});

it("asks once a day for an update for which there is no room, and fetches nothing of it", async () => {
  const lesson = server.addLesson("l1", VIDEO.slice(2));
  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));
  const account = (await tab.readAccount())!;
  await tab.runDownloads();
  Object.assign(lesson, { stamp: "s2", resources: VIDEO });
  browser.quota = MIB;
  server.requests = [];
  const renew = async (): Promise<number> => {
    await tab.checkIn(account);
    await tab.runDownloads();
    return server.requests.filter((line) => line.includes("/lessons/")).length;
  };
  expect([await renew(), await renew(), await renew()]).toEqual([1, 1, 1]);
  expect(server.requests.filter(ofMedia)).toEqual([]);
  vi.setSystemTime(Date.now() + 25 * 3_600_000);
  expect(await renew()).toBe(2);
});

it("takes a connection that never answers for a lost one", async () => {
  const { fetchResource } = await import("./fetchResource");
  vi.useFakeTimers();
  try {
    vi.stubGlobal("fetch", (_: string, { signal }: { signal: AbortSignal }) => {
      const never = new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      );
      return never;
    });
    const store = () => Promise.resolve();
    const { signal } = new AbortController();
    const fetching = fetchResource({ source: "/media/x", size: 9 }, 0, { store, signal });
    const ended = expect(fetching).rejects.toMatchObject({ name: "Interrupted" });
    await vi.advanceTimersByTimeAsync(60_000);
    await ended;
  } finally {
    vi.useRealTimers();
  }
});

it("keeps the numbers of thousands of resources", async () => {
  const { numberResources } = await import("./packages");
  const list = (source: string) =>
    Array.from({ length: 7200 }, (_, id) => ({
      ...{ name: `${id}.m4s`, source, size: 9, media_type: "", filename: "", content: "", id },
    }));
  const old = [
    { stamp: "s1", resources: list("old") },
    { stamp: "s2", resources: list("new").map((one) => ({ ...one, id: one.id + 10_000 })) },
  ];
  const { resources, next } = numberResources(
    { stamp: "s2", resources: [...list("newer"), { ...list("")[0]!, name: "added" }] },
    old,
    20_000,
  );
  expect([resources[7]!.id, resources[7]!.source, resources.at(-1)!.id, next]).toEqual([
    10_007,
    "newer",
    20_000,
    20_001,
  ]);
});

it("moves all lessons to a new build of the site at once, and deletes the old shell last", async () => {
  for (const uid of ["l1", "l2"]) server.addLesson(uid, VIDEO.slice(2));
  await queue(tab, server, "l1", "l2");
  await until(isDownloaded("l2"));
  const account = (await tab.readAccount())!;

  server.build = "b2";
  server.intercept = (path) => (path.includes("/lessons/l2/") ? "lost" : undefined);
  await tab.checkIn(account);
  await tab.runDownloads();
  // The old shell with the old pages, as one page is missing.
  expect((await tab.findShell()) && (await (await tab.findShell())!.text())).toContain("Shell b1");
  expect((await tab.readPackage(account, "l1"))!.build).toBe("b1");

  server.intercept = () => undefined;
  await tab.runDownloads();
  expect(await (await tab.findShell())!.text()).toContain("Shell b2");
  for (const uid of ["l1", "l2"]) expect((await tab.readPackage(account, uid))!.build).toBe("b2");
  expect(await browser.caches.keys()).toEqual(["study-shell-b2"]);
  await expectAll("l1", VIDEO.slice(2));
  expect(server.requests.filter((line) => line.includes("/media/l1/"))).toHaveLength(2);
});

it("does not mix builds while the servers are updated one after the other", async () => {
  server.addLesson("l1", VIDEO.slice(2));
  let turn = 0;
  server.intercept = (path) => {
    if (path.includes("/shell/") || path.includes("/lessons/")) server.build = `b${turn++ % 2}`;
    return undefined;
  };
  await queue(tab, server, "l1");
  await until(async () => ["held", "downloaded"].includes((await stateOf(tab, "l1")) ?? ""));
  const account = (await tab.readAccount())!;
  const stored = await tab.readPackage(account, "l1");
  const shell = await (await tab.findShell())!.text();
  if (stored) expect(shell).toContain(stored.build);
  server.intercept = () => undefined;
  await tab.runDownloads();
  await until(isDownloaded("l1"));
  expect(await (await tab.findShell())!.text()).toContain(
    (await tab.readPackage(account, "l1"))!.build,
  );
});

it("changes the quality of a stored lesson without losing it meanwhile", async () => {
  server.addLesson("l1", VIDEO.slice(2));
  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));
  const account = (await tab.readAccount())!;
  const lesson = { ...server.storable("l1"), sizes: [{ quality: "480p" as const, size: 10 }] };
  server.onChunk = () => new Promise(() => undefined);
  server.lessons.get("l1")!.resources = [{ name: "480p/1.m4s", bytes: bytesOf(10) }];
  server.lessons.get("l1")!.stamp = "s2";
  await tab.queueLessons(account, server.course, [lesson], "480p");
  await until(() => server.requests.some((line) => line.includes("480p/1.m4s")));
  expect(await tab.readPackage(account, "l1")).not.toBeNull();
  await tab.cancelLesson(account, "l1");
  expect(await tab.readLesson(account, "l1")).toMatchObject({
    state: "downloaded",
    quality: "720p",
  });
  const database = await tab.openDatabase();
  expect(await database.count("packages")).toBe(1);
  expect(await database.count("pieces")).toBe(2);
  await expectAll("l1", VIDEO.slice(2));
});

it("says that there is no room where not even the shell fits, and stores all once there is", async () => {
  server.addLesson("l1", VIDEO.slice(2));
  const open = browser.caches.open;
  browser.caches.open = async (name) => {
    const cache = await open(name);
    cache.put = () => Promise.reject(new DOMException("Full", "QuotaExceededError"));
    return cache;
  };
  await queue(tab, server, "l1");
  await until(async () => (await stateOf(tab, "l1")) === "failed");
  const account = (await tab.readAccount())!;
  expect((await tab.readLesson(account, "l1"))!.refusal!.code).toBe("OFFLINE_STORAGE_FULL");
  expect(await browser.caches.keys()).toEqual([]);

  browser.caches.open = open;
  await tab.retryLesson(account, "l1");
  await until(isDownloaded("l1"));
});

it("stays with the old shell and its pages where those of a new build don't fit", async () => {
  for (const uid of ["l1", "l2"]) server.addLesson(uid, VIDEO.slice(2));
  await queue(tab, server, "l1", "l2");
  await until(isDownloaded("l2"));
  const account = (await tab.readAccount())!;
  server.build = "b2";
  const put = IDBObjectStore.prototype.put;
  vi.spyOn(IDBObjectStore.prototype, "put").mockImplementation(function (
    this: IDBObjectStore,
    ...args
  ) {
    if (this.name === "packages") throw new DOMException("Full", "QuotaExceededError");
    return put.apply(this, args);
  });
  await tab.checkIn(account);
  await tab.runDownloads();
  expect(await (await tab.findShell())!.text()).toContain("Shell b1");
  for (const uid of ["l1", "l2"]) expect((await tab.readPackage(account, uid))!.build).toBe("b1");
  expect(await browser.caches.keys()).toEqual(["study-shell-b1"]);

  vi.restoreAllMocks();
  await tab.runDownloads();
  expect(await (await tab.findShell())!.text()).toContain("Shell b2");
  for (const uid of ["l1", "l2"]) expect((await tab.readPackage(account, uid))!.build).toBe("b2");
});

it("fetches a lesson again whose update for a new build failed and was cancelled", async () => {
  server.addLesson("l1", VIDEO.slice(2));
  await queue(tab, server, "l1");
  await until(isDownloaded("l1"));
  const account = (await tab.readAccount())!;
  server.build = "b2";
  server.intercept = (path) => (path.includes("/lessons/l1/") ? problem(403, "X") : undefined);
  await tab.checkIn(account);
  await tab.runDownloads();
  await until(async () => (await stateOf(tab, "l1")) === "failed");

  await tab.cancelLesson(account, "l1");
  await tab.runDownloads();
  expect(await stateOf(tab, "l1")).toBe("failed"); // it can't be opened by scripts of b2

  await tab.cancelLesson(account, "l1");
  server.intercept = () => undefined;
  await tab.runDownloads();
  expect(await stateOf(tab, "l1")).toBe("downloaded");
  expect((await tab.readPackage(account, "l1"))!.build).toBe("b2");
});
