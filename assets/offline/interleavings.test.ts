/** Lessons are stored by tabs that are paused, closed and opened again at random, over a connection that fails at random. */
import { expect, it, vi } from "vitest";

import { setStage } from "./testing/page";
import { bytesOf, type FakeResource } from "./testing/server";
import { holds, openTab, queue, stateOf, until } from "./testing/tab";

const MIB = 1024 * 1024;
const RUNS = Number(process.env["OFFLINE_RUNS"] ?? 12);
const STEPS = 14;
const DOWNLOADS_LOCK = "study-offline-downloads";
const stage = setStage();

/** Numbers from 0 to 1 that are the same for the same seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const LESSONS: Record<string, FakeResource[]> = {
  l1: [
    { name: "1.m4s", bytes: bytesOf(MIB + 400_000, 1), content: "v1" },
    { name: "2.m4s", bytes: bytesOf(200_000, 2), content: "v1" },
    { name: "a.vtt", bytes: bytesOf(9000, 3), isUnmeasured: true },
  ],
  l2: [{ name: "1.m4s", bytes: bytesOf(2 * MIB, 4) }],
  l3: Array.from({ length: 7 }, (_, index) => ({
    name: `${index}.m4s`,
    bytes: bytesOf(70_000, index + 9),
  })),
};

it.each(Array.from({ length: RUNS }, (_, index) => index + 1))(
  "ends with every lesson stored as it is (seed %d)",
  async (seed) => {
    const chance = random(seed * 7919);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(chance() * items.length)]!;
    const { server } = stage;
    for (const [uid, resources] of Object.entries(LESSONS)) server.addLesson(uid, [...resources]);
    let trouble = 0.12;
    server.chunk = 150_000;
    server.intercept = (path) => {
      if (chance() > trouble) return undefined;
      if (path.startsWith("/media/l"))
        return pick(["lost", new Response("", { status: 503 })] as const);
      return path.includes("/lessons/") ? "lost" : undefined;
    };
    server.onChunk = async () => {
      await new Promise((resolve) => setTimeout(resolve, Math.floor(chance() * 3)));
      if (chance() < trouble / 4) throw new TypeError("The connection was lost");
    };
    await queue(stage.tab, server, "l1", "l2", "l3");
    const account = (await stage.tab.readAccount())!;
    const uids = Object.keys(LESSONS);

    const steps: Record<string, () => Promise<unknown>> = {
      pause: () => stage.tab.pauseLesson(account, pick(uids)),
      resume: () => stage.tab.resumeLesson(account, pick(uids)),
      online: () => Promise.resolve(dispatchEvent(new Event("online"))),
      expire: () => {
        server.signature += 1;
        return Promise.resolve();
      },
      putAside: () => {
        stage.tab.stopDownloads();
        return Promise.resolve();
      },
      crash: async () => {
        // The tab is gone in the middle of everything; its page is loaded again.
        server.isHanging = true;
        await new Promise((resolve) => setTimeout(resolve, 3));
        stage.tab.stopDownloads();
        stage.browser.locks.killHolder(DOWNLOADS_LOCK);
        await stage.tab.closeDatabase();
        server.isHanging = false;
        stage.tab = await openTab();
        void stage.tab.runDownloads();
      },
      change: () => {
        const lesson = server.lessons.get("l1")!;
        lesson.stamp = `s${seed}-${chance()}`;
        lesson.resources = [
          lesson.resources[0]!,
          lesson.resources[1]!,
          { ...LESSONS["l1"]![2]!, bytes: bytesOf(8000, Math.floor(chance() * 1000)) },
        ];
        vi.setSystemTime(Date.now() + 6 * 60_000);
        return Promise.resolve();
      },
      deploy: () => Promise.resolve((server.build = pick(["b1", "b2"]))),
      wait: () => new Promise((resolve) => setTimeout(resolve, 20)),
    };
    const taken: string[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      const name = pick(Object.keys(steps));
      taken.push(name);
      await steps[name]!();
      await new Promise((resolve) => setTimeout(resolve, Math.floor(chance() * 15)));
      // Nothing is ever shown as stored that is not.
      for (const lesson of await stage.tab.listLessons(account))
        if (lesson.state === "downloaded") expect(lesson.received).toBe(lesson.size);
    }

    trouble = 0;
    server.build = "b3";
    for (const uid of uids) await stage.tab.retryLesson(account, uid);
    for (const uid of uids) await stage.tab.resumeLesson(account, uid);
    await stage.tab.checkIn(account);
    await until(async () => {
      await stage.tab.runDownloads();
      const states = await Promise.all(uids.map((uid) => stateOf(stage.tab, uid)));
      return states.every((state) => state === "downloaded");
    });
    await stage.tab.runDownloads();

    let bytes = 0;
    for (const uid of uids)
      for (const one of server.lessons.get(uid)!.resources) {
        expect([taken.join(" "), uid, one.name, await holds(stage.tab, uid, one)]).toEqual([
          taken.join(" "),
          uid,
          one.name,
          true,
        ]);
        bytes += one.bytes.length;
      }
    const lessons = await stage.tab.listLessons(account);
    expect(lessons.reduce((sum, { received }) => sum + received, 0)).toBe(bytes);
    // Nothing is left of other copies.
    const database = await stage.tab.openDatabase();
    const sizes = (await database.getAll("pieces")).map(({ data }) => data.byteLength - 16);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes);
    expect(await database.count("packages")).toBe(3);
    for (const uid of uids) expect((await stage.tab.readPackage(account, uid))!.build).toBe("b3");
    expect(await stage.browser.caches.keys()).toEqual(["study-shell-b3"]);
  },
);
