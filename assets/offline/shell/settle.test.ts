/** What is done in stored lessons, until the server has judged it. */
import { beforeEach, expect, it } from "vitest";

import { setStage } from "../testing/page";
import { bytesOf } from "../testing/server";
import { openTab, queue, stateOf, until } from "../testing/tab";
import type { Account } from "../types";
import { openAttempt } from "./attempts";
import type { LocalAttempt } from "./localLesson";
import type { Store } from "./store";
import { call } from "./testing";
import { addWatched } from "./watching";

const stage = setStage();
const REFUSED = { state: "refused", refusal: { code: "X", title: "No", message: "No" } } as const;
let account: Account;
let store: Store;
let page: Awaited<ReturnType<typeof importPage>>;

/** The modules of the shell in the present tab. */
async function importPage() {
  return {
    ...(await import("./browserStore")),
    ...(await import("./api/answer")),
    ...(await import("./api/practice")),
    ...(await import("./settle")),
    ...(await import("../controls/browserStore")),
  };
}
const openShellStore = () => (store = page.makeStore(account, () => Date.now()));

beforeEach(async () => {
  stage.server.addLesson("l1", [{ name: "1.m4s", bytes: bytesOf(90) }]);
  await queue(stage.tab, stage.server, "l1");
  await until(async () => (await stateOf(stage.tab, "l1")) === "downloaded");
  account = (await stage.tab.readAccount())!;
  page = await importPage();
  openShellStore();
});

const post = (path: string, body: unknown) =>
  call(page.makeAnswer(store), "POST", `/api/v1/lessons/l1/${path}/`, body);
const watch = () => post("progress", { position: 60, watched: [[0, 60]] });
async function send() {
  await page.settleAll(store);
  return stage.tab.sendChanges(account);
}
const lesson = async () => (await stage.tab.readLesson(account, "l1"))!;

it("sends refused seconds again once they are watched again", async () => {
  stage.server.judge = () => REFUSED;
  await watch();
  expect((await lesson()).isCompleted).toBe(true);
  await send();
  expect((await lesson()).isCompleted).toBe(false);

  stage.server.judge = () => ({});
  await watch(); // the same player reports all of its seconds again
  expect((await send()).taken).toBe(1); // the position
  expect(stage.server.applied.at(-1)?.watched?.watched).toEqual([]);
  openShellStore(); // as the next page does
  await watch();
  await send();
  expect(stage.server.applied.at(-1)?.watched?.watched).toEqual([[0, 60]]);
  expect((await lesson()).isCompleted).toBe(true);
});

it("shows no lesson as complete whose completion the server refuses", async () => {
  const { readPackage } = store;
  store.readPackage = async (uid) => ({ ...(await readPackage(uid))!, kind: "file" });
  await post("complete", {});
  expect((await lesson()).isCompleted).toBe(true);
  stage.server.judge = () => REFUSED;
  expect((await send()).refused).toHaveLength(1);
  expect((await lesson()).isCompleted).toBe(false);
});

it("sends all stretches, in several changes where they are many", async () => {
  const pairs = Array.from({ length: 600 }, (_, index): [number, number] => [
    index * 2,
    index * 2 + 1,
  ]);
  await store.changeLocal("l1", (known) =>
    addWatched(known, { position: 1, watched: pairs }, Date.now()),
  );
  await send();
  const sent = stage.server.applied.map(({ watched }) => watched!.watched.length);
  expect(sent).toEqual([500, 100]);
});

it("names what was done in a lesson that has expired since", async () => {
  await watch();
  await stage.tab.records.updateRecord(account, "l1", (record) => ({ ...record, expiresAt: 1 }));
  await page.settleAll(store);
  expect((await stage.tab.listChanges(account))[0]!.title).toBe("Secret title of l1");
});

it("shows a rated card no more once its rating was sent", async () => {
  const card = { uid: "c1", course: "Algebra", intervals: [1, 2, 3, 4] };
  const practice = { cards: [card], left: 1, done_today: 0 };
  await stage.tab.writeValue(account, "practice", { practice, solutions: [] });
  const review = { key: crypto.randomUUID(), turn: 1, rating: 3 };
  await call(page.makeAnswer(store), "POST", "/api/v1/practice/cards/c1/reviews/", review);
  expect((await send()).taken).toBe(1);

  const { closeDatabase } = stage.tab;
  stage.tab = await openTab();
  await closeDatabase();
  page = await importPage();
  openShellStore();
  const left = await page.practiceHere(store, (await store.readPractice())!);
  expect(left).toMatchObject({ cards: [], left: 0, done_today: 1 });
});

it("counts at sign-out what is in no change, of removed lessons, too", async () => {
  await watch();
  const paper = { uid: "p1", answers: {}, questions: [], time_limit: 0 };
  const attempt = openAttempt(paper as unknown as LocalAttempt["paper"], Date.now(), "change-1");
  await store.changeLocal("l1", (known) => ({ ...known, attempt }));
  await stage.tab.removeLessons(account, ["l1"]);
  const pages = page.openStore();
  expect(await pages.countLeft(account)).toEqual({ attempts: 1, changes: 1 });
  await pages.settleChanges(account);
  expect(await pages.countLeft(account)).toEqual({ attempts: 1, changes: 0 });
  expect(await pages.listChanges(account)).toHaveLength(1);
});
