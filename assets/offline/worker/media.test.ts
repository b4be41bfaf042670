import { beforeEach, expect, it, vi } from "vitest";

import { setStage } from "../testing/page";
import { bytesOf } from "../testing/server";
import { queue, readMedia, stateOf, until } from "../testing/tab";
import { readRange } from "./range";

const MIB = 1024 * 1024;
const stage = setStage();
const VIDEO = bytesOf(2 * MIB + 10, 1);
const FILE = { name: "files/A “b” (1)'*.pdf", bytes: bytesOf(30, 2), type: "application/pdf" };

beforeEach(async () => {
  stage.server.addLesson("l1", [
    { name: "720p/1.m4s", bytes: VIDEO, type: "video/mp4" },
    { ...FILE, filename: "A “b” (1)'*.pdf" },
    { name: "page.svg", bytes: bytesOf(5), type: "image/svg+xml" },
    { name: "empty.txt", bytes: bytesOf(0), type: "text/plain" },
  ]);
  await queue(stage.tab, stage.server, "l1");
  await until(async () => (await stateOf(stage.tab, "l1")) === "downloaded");
});

const get = (name: string, init?: RequestInit) => readMedia(stage.tab, "l1", name, init);
const range = (value: string) => get("720p/1.m4s", { headers: { Range: value } });

it.each([
  ["bytes=0-9", 0, 9],
  ["bytes=1048570-1048590", 1048570, 1048590], // over the edge of two pieces
  ["bytes=1048576-1048576", MIB, MIB],
  ["bytes=5-99999999", 5, VIDEO.length - 1],
  ["bytes=2097152-", 2 * MIB, VIDEO.length - 1],
  ["bytes=-7", VIDEO.length - 7, VIDEO.length - 1],
  ["bytes=-99999999", 0, VIDEO.length - 1],
])("sends the range %s", async (value, start, end) => {
  const response = await range(value);
  expect(response.status).toBe(206);
  expect(response.headers.get("Content-Range")).toBe(`bytes ${start}-${end}/${VIDEO.length}`);
  expect(response.headers.get("Content-Length")).toBe(String(end - start + 1));
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(Buffer.compare(bytes, VIDEO.subarray(start, end + 1))).toBe(0);
});

it.each(["bytes=2097162-", "bytes=99999999-", "bytes=-0"])(
  "refuses the range %s",
  async (value) => {
    const response = await range(value);
    expect(response.status).toBe(416);
    expect(response.headers.get("Content-Range")).toBe(`bytes */${VIDEO.length}`);
  },
);

it.each(["bytes=0-1,5-6", "bytes=9-2", "bytes=-", "items=0-1", "", null])(
  "sends everything for the range %s, as it can't be read",
  (value) => expect(readRange(value, 100)).toBeNull(),
);

it("answers HEAD without a body, and whole requests with their type", async () => {
  const response = await get("720p/1.m4s", { method: "HEAD" });
  expect(response.status).toBe(200);
  expect(response.body).toBeNull();
  expect(response.headers.get("Content-Type")).toBe("video/mp4");
  expect(response.headers.get("Content-Length")).toBe(String(VIDEO.length));
  expect(response.headers.get("Accept-Ranges")).toBe("bytes");
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect((await get("empty.txt")).status).toBe(200);
});

it("saves a file under its name, and lets nothing that was uploaded act as this site", async () => {
  const file = await get(FILE.name.split("/").map(encodeURIComponent).join("/"));
  expect(file.headers.get("Content-Disposition")).toBe(
    "attachment; filename*=UTF-8''A%20%E2%80%9Cb%E2%80%9D%20%281%29%27%2A.pdf",
  );
  const drawing = await get("page.svg");
  expect(drawing.headers.get("Content-Security-Policy")).toContain("sandbox");
  expect(drawing.headers.get("X-Content-Type-Options")).toBe("nosniff");
});

it("has only what is complete", async () => {
  expect((await get("720p/2.m4s")).status).toBe(404);
  expect((await readMedia(stage.tab, "l9", "720p/1.m4s")).status).toBe(404);
  expect((await get("%ZZ")).status).toBe(404);
  stage.server.addLesson("l2", [
    { name: "a.m4s", bytes: bytesOf(9) },
    { name: "b.m4s", bytes: bytesOf(9) },
  ]);
  stage.server.intercept = (path) => (path.endsWith("l2/b.m4s") ? "lost" : undefined);
  await queue(stage.tab, stage.server, "l2");
  await until(async () => (await stateOf(stage.tab, "l2")) === "held");
  expect((await readMedia(stage.tab, "l2", "a.m4s")).status).toBe(404);
});

it("breaks off where a lesson is removed, or its account locked, while it is read", async () => {
  const reader = (await get("720p/1.m4s")).body!.getReader();
  await reader.read(); // the next piece may have been read with it, but not the last one
  await stage.tab.removeLessons((await stage.tab.readAccount())!, ["l1"]);
  const readOn = async () => {
    while (!(await reader.read()).done);
  };
  await expect(readOn()).rejects.toThrow("missing");
  expect((await get("720p/1.m4s")).status).toBe(404);
});

it("plays a lesson that was removed and stored again at another quality", async () => {
  expect((await get("720p/1.m4s", { method: "HEAD" })).status).toBe(200);
  await stage.tab.removeLessons((await stage.tab.readAccount())!, ["l1"]);
  vi.setSystemTime(Date.now() + 1000);
  stage.server.lessons.get("l1")!.resources = [{ name: "480p/1.m4s", bytes: bytesOf(500, 8) }];
  await queue(stage.tab, stage.server, "l1");
  await until(async () => (await stateOf(stage.tab, "l1")) === "downloaded");
  expect((await get("480p/1.m4s")).status).toBe(200);
});

it("reads no account that is locked, even with its list of resources in memory", async () => {
  expect((await get("page.svg")).status).toBe(200);
  await stage.tab.lockAccounts();
  expect((await get("page.svg")).status).toBe(404);
});
