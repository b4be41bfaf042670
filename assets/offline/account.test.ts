import { expect, it, vi } from "vitest";

import { define } from "./testing/browser";
import { bytesOf, problem } from "./testing/server";
import { setStage } from "./testing/page";
import { openTab, queue, readMedia, signIn, stateOf, type Tab, until } from "./testing/tab";

const stage = setStage();

/** Everything that IndexedDB has, bytes as letters; keys of WebCrypto as "KEY". */
async function dump(tab: Tab): Promise<string> {
  const found: string[] = [];
  const read = (value: unknown): void => {
    if (value instanceof CryptoKey) found.push("KEY");
    else if (ArrayBuffer.isView(value)) found.push(Buffer.from(value.buffer).toString("latin1"));
    else if (Object.prototype.toString.call(value) === "[object ArrayBuffer]")
      found.push(Buffer.from(value as ArrayBuffer).toString("latin1"));
    else if (typeof value === "object" && value !== null)
      for (const [name, one] of Object.entries(value)) {
        found.push(name);
        read(one);
      }
    else found.push(String(value));
  };
  const database = await tab.openDatabase();
  for (const name of database.objectStoreNames) {
    read(await database.getAll(name));
    read(await database.getAllKeys(name));
  }
  return found.join("\n");
}

async function storeAll(): Promise<void> {
  const { tab, server } = stage;
  const text = new TextEncoder().encode("Secret captions");
  server.addLesson("l1", [
    { name: "Secret file.pdf", bytes: text, filename: "Secret file.pdf" },
    { name: "a.m4s", bytes: bytesOf(100) },
  ]);
  await queue(tab, server, "l1");
  await until(async () => (await stateOf(tab, "l1")) === "downloaded");
  const account = (await tab.readAccount())!;
  await tab.writeValue(account, "dashboard", { html: "Secret dashboard" });
  await tab.writeLocal(account, "l1", { position: 4, isCompleted: true });
  const made_at = new Date().toISOString();
  const completed = { opened_at: made_at };
  await tab.addChange(
    account,
    { id: crypto.randomUUID(), kind: "completed", lesson: "l1", made_at, completed },
    "Secret change",
  );
}

it("keeps nothing that can be read without the key: no title, name, text, address or file", async () => {
  await storeAll();
  const stored = await dump(stage.tab);
  expect(stored).toContain("KEY");
  expect(stored).not.toMatch(/secret/i);
  expect(stored).toContain("l1"); // the dump finds what is there
  expect(localStorage.getItem("study.offline")).toBe("ada");
});

it("forgets the key when it is locked: nothing can be read any more, and nothing is deleted", async () => {
  await storeAll();
  const account = (await stage.tab.readAccount())!;
  await stage.tab.lockAccounts();

  const stored = await dump(stage.tab);
  expect(stored).not.toContain("KEY");
  expect(stored).not.toMatch(/secret/i);
  expect(await stage.tab.readAccount()).toBeNull();
  expect((await readMedia(stage.tab, "l1", "a.m4s")).status).toBe(404);
  expect(await stage.tab.countSignedOut()).toEqual({ lessons: 1, size: 115 });
  // Not even the device's key can be exported while it is there.
  await expect(crypto.subtle.exportKey("raw", account.key)).rejects.toThrow();
});

it("opens again what it has stored when the same learner signs in", async () => {
  await storeAll();
  await stage.tab.lockAccounts();
  const tab = (stage.tab = await openTab("ada"));
  expect(await tab.readAccount()).toBeNull();

  const account = (await tab.openAccount("ada"))!;

  expect(account.name).toBe("Secret");
  expect(await stateOf(tab, "l1")).toBe("downloaded");
  expect(await (await readMedia(tab, "l1", "Secret%20file.pdf")).text()).toBe("Secret captions");
  expect((await tab.listChanges(account))[0]!.title).toBe("Secret change");
  expect(await tab.readValue(account, "dashboard")).toEqual({ html: "Secret dashboard" });
  expect(stage.server.devices.size).toBe(1);
});

it("shows another account nothing, and the first one all of it again", async () => {
  await storeAll();
  const leo = (stage.tab = await openTab("leo"));
  expect(await leo.readAccount()).toBeNull();
  stage.server.addLesson("l2", [{ name: "b.m4s", bytes: bytesOf(5) }]);
  const account = await leo.startAccount("leo");
  await leo.queueLessons(account, stage.server.course, [stage.server.storable("l2")], "720p");
  await until(async () => (await stateOf(leo, "l2")) === "downloaded");

  expect((await leo.listLessons(account)).map(({ uid }) => uid)).toEqual(["l2"]);
  expect((await readMedia(leo, "l1", "a.m4s")).status).toBe(404);
  expect(await leo.readStorageUse("leo")).toMatchObject({ own: 5, others: 115 });
  leo.stopDownloads();

  const ada = (stage.tab = await openTab("ada"));
  const again = (await ada.openAccount("ada"))!;
  expect((await ada.listLessons(again)).map(({ uid }) => uid)).toEqual(["l1"]);
  expect((await readMedia(ada, "l2", "b.m4s")).status).toBe(404);
});

it("reads nothing on a page of somebody else, and everything in the shell, which names nobody", async () => {
  await storeAll();
  expect(await (await openTab("")).readAccount()).toBeNull();
  expect(await (await openTab("leo")).readAccount()).toBeNull();
  expect(await (await openTab(null)).readAccount()).toMatchObject({ user: "ada" });
});

it("can't open a piece, a package or a summary in another place", async () => {
  await storeAll();
  const { tab } = stage;
  const account = (await tab.readAccount())!;
  const database = await tab.openDatabase();
  const [piece, other] = await database.getAll("pieces");
  await database.put("pieces", { ...piece!, data: other!.data, iv: other!.iv });
  const response = await readMedia(tab, "l1", "Secret%20file.pdf").catch(() => null);
  await expect(
    Promise.resolve(response?.text() ?? Promise.reject(new Error("none"))),
  ).rejects.toThrow();
  const lesson = (await database.getAll("lessons"))[0]!;
  await database.put("lessons", { ...lesson, uid: "l9" });
  expect((await tab.listLessons(account)).map(({ uid }) => uid)).toEqual(["l1"]);
});

it("deletes all of an account when its device was removed elsewhere", async () => {
  await storeAll();
  const account = (await stage.tab.readAccount())!;
  stage.server.devices.clear();

  await stage.tab.checkIn(account);

  expect(await dump(stage.tab)).not.toMatch(/ada|l1|KEY/);
  expect(localStorage.getItem("study.offline")).toBeNull();
  // What a page had in hand is not written any more.
  await stage.tab.writeLocal(account, "l1", { position: 1 });
  await stage.tab.writeValue(account, "dashboard", {});
  const change = { id: crypto.randomUUID(), kind: "completed" as const, lesson: "l1", made_at: "" };
  await stage.tab.addChange(account, change, "x");
  expect(await dump(stage.tab)).not.toMatch(/ada/);
});

const completed = () => ({
  id: crypto.randomUUID(),
  kind: "completed" as const,
  lesson: "l1",
  made_at: new Date().toISOString(),
  completed: { opened_at: new Date().toISOString() },
});

it.each([
  ["knows no such device", 404, "OFFLINE_DEVICE_REMOVED"],
  ["says that nobody is signed in", 401, "AUTHENTICATION_REQUIRED"],
])("only locks its own account where the server %s to somebody else", async (_, status, code) => {
  await storeAll();
  const account = (await stage.tab.readAccount())!;
  const leo = await openTab("leo");
  await leo.startAccount("leo");
  stage.server.signedIn = "leo";
  stage.server.intercept = (path) =>
    path.includes("/changes/") ? problem(status, code) : undefined;

  await stage.tab.sendChanges(account);

  expect((await leo.readAccountRecord("leo"))!.key).not.toBeNull();
  expect((await leo.readAccountRecord("ada"))!.key).toBeNull();
  const database = await stage.tab.openDatabase();
  expect([await database.count("lessons"), await database.count("outbox")]).toEqual([1, 1]);
  await leo.closeDatabase();
});

it("writes and deletes nothing of a device that was opened again, from a page of the old one", async () => {
  await storeAll();
  const old = (await stage.tab.readAccount())!;
  const other = await openTab();
  await other.removeDevice("ada");
  stage.server.devices.set("device-0", "a2V5"); // so that the new device has another uid
  const fresh = await other.startAccount("ada");
  await other.addChange(fresh, completed(), "New");

  await stage.tab.addChange(old, completed(), "Old");
  await stage.tab.writeLocal(old, "l1", { position: 9 });
  await stage.tab.sendChanges(old);
  await stage.tab.checkIn(old);

  expect((await other.readAccountRecord("ada"))!.device).toBe(fresh.device);
  expect((await other.listChanges(fresh)).map(({ title }) => title)).toEqual(["New"]);
  expect(await other.sendChanges(fresh)).toMatchObject({ taken: 1, waiting: 0 });
  expect((await other.listLocal(fresh)).size).toBe(0);
  await other.closeDatabase();
});

it("makes one device of two tabs that store their first lesson at once", async () => {
  const other = await openTab();
  const accounts = await Promise.all([stage.tab.startAccount("ada"), other.startAccount("ada")]);
  expect(accounts.map(({ device }) => device)).toEqual(["device-1", "device-1"]);
  await other.closeDatabase();
});

it("answers nothing and keeps nothing in a shell whose account another tab has locked", async () => {
  await storeAll();
  const { makeStore } = await import("./shell/browserStore");
  const { makeAnswer } = await import("./shell/api/answer");
  const store = makeStore((await stage.tab.readAccount())!, () => Date.now());
  const closed = vi.fn();
  const stop = store.onClosed(closed);
  const other = await openTab();
  await other.lockAccounts();
  await until(() => closed.mock.calls.length > 0);
  const request = new Request(`${location.origin}/api/v1/lessons/l1/notes/`);
  await expect(makeAnswer(store)(request)).rejects.toThrow();
  await store.changeLocal("l1", (known) => ({ ...known, position: 77 }));
  const again = (await other.openAccount("ada"))!;
  expect(await other.readLocal(again, "l1")).toMatchObject({ position: 4 });
  stop();
  await other.closeDatabase();
});

it("removes the device here and on the server", async () => {
  await storeAll();
  await stage.tab.removeDevice("ada");
  expect(stage.server.devices.size).toBe(0);
  expect(await stage.browser.caches.keys()).toEqual([]);
  expect(await dump(stage.tab)).not.toMatch(/ada|l1/);
});

it("is locked when the server says that nobody is signed in", async () => {
  await storeAll();
  const account = (await stage.tab.readAccount())!;
  stage.server.intercept = (path) =>
    path.includes("/api/") ? new Response("{}", { status: 401 }) : undefined;
  await stage.tab.sendChanges(account);
  expect(await stage.tab.readAccount()).toBeNull();
  expect(await dump(stage.tab)).not.toContain("KEY");
});

it("does not store a key that arrives after signing out", async () => {
  await storeAll();
  await stage.tab.lockAccounts();
  const tab = (stage.tab = await openTab("ada"));
  stage.server.intercept = (path) => {
    if (path.includes("/devices/")) tab.session.clear();
    return undefined;
  };
  await expect(tab.openAccount("ada")).rejects.toThrow();
  expect(await dump(tab)).not.toContain("KEY");
});

it("does not store a key that arrives after somebody else has signed in", async () => {
  stage.server.intercept = (path) => {
    if (path.includes("/devices/")) signIn(stage.tab, "leo");
    return undefined;
  };
  await expect(stage.tab.startAccount("ada")).rejects.toThrow();
  expect(await stage.tab.readAccountRecord("ada")).toBeUndefined();
});

it.each([
  [
    "has no database",
    () =>
      vi.stubGlobal("indexedDB", {
        open: () => {
          throw new DOMException("Denied", "SecurityError");
        },
      }),
  ],
  ["is not secure", () => vi.stubGlobal("isSecureContext", false)],
  ["has no encryption", () => vi.stubGlobal("crypto", { getRandomValues: () => undefined })],
  [
    "has switched the worker off",
    () => document.head.insertAdjacentHTML("beforeend", '<meta name="study-worker" content="off">'),
  ],
])("says why nothing can be stored where the browser %s", async (_, spoil) => {
  define("serviceWorker", { getRegistration: () => Promise.resolve(undefined) });
  try {
    expect(await stage.tab.whyNotPossible()).toBeNull();
    await stage.tab.closeDatabase();
    spoil();
    expect(await stage.tab.whyNotPossible()).toMatchObject({ code: "OFFLINE_BROWSER_UNFIT" });
    if (_ === "has no database") {
      expect(await stage.tab.readAccount()).toBeNull();
      await stage.tab.runDownloads(); // nothing breaks
      await stage.tab.keepInTouch();
    }
  } finally {
    Reflect.deleteProperty(navigator, "serviceWorker");
  }
});
