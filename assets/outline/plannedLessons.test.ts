import { expect, it } from "vitest";

import { type FileLimits, planLessons, readText } from "./plannedLessons";

const limits: FileLimits = {
  videoEndings: [".mp4", ".mov"],
  formats: ["MP4", "MOV"],
  videoBytes: 1_000,
  fileBytes: 100,
  textLength: 1_000,
};

const named = (name: string, size = 1, type = ""): File =>
  new File(["x".repeat(size)], name, { type });
const titles = (...names: string[]): string[] =>
  planLessons(
    names.map((name) => named(name)),
    limits,
  ).map(({ title }) => title);

it("orders files as people number them, and takes numbers of all from the titles", () => {
  expect(titles("10 Bayes.mp4", "2 - Counting.mp4", "01_queues.md")).toEqual([
    "Queues",
    "Counting",
    "Bayes",
  ]);
  expect(titles("1.2. Two.mp4", "1.10. Ten.mp4")).toEqual(["Two", "Ten"]);
});

it("keeps numbers that are part of a title", () => {
  expect(titles("12 Angry Men.mp4", "Casablanca.mp4")).toEqual(["12 Angry Men", "Casablanca"]);
  expect(titles("7 habits.md")).toEqual(["7 habits"]);
  expect(titles("1984.pdf", "2001.pdf")).toEqual(["1984", "2001"]);
});

it.each([
  ["what-a-coin-knows.mp4", "What a coin knows"],
  ["T-shirts.pdf", "T-shirts"],
  ["e\u0301tude_no_3.mp4", "\u00c9tude no 3"],
  ["\u0441\u0447\u0451\u0442.mp4", "\u0421\u0447\u0451\u0442"],
  ["archive.tar.gz", "Archive.tar"],
  [".mp4.mp4", ""],
])("makes a title of %s", (name, title) => {
  expect(titles(name)).toEqual(title ? [title] : []);
});

it("limits a title to 120 characters, and breaks none of them", () => {
  const [title] = titles(`${"\ud83d\ude00".repeat(200)}.mp4`);
  expect(title).toBe("\ud83d\ude00".repeat(120));
});

it("leaves out what systems put into folders", () => {
  expect(titles(".DS_Store", "Thumbs.db", "desktop.ini", "a.pdf")).toEqual(["A"]);
});

it("knows videos and texts by their endings, and says which files are impossible", () => {
  const planned = planLessons(
    [
      named("a.MP4", 500),
      named("b.md", 500),
      named("c.pdf", 101),
      named("d.txt", 0),
      named("e.wmv", 50, "video/x-ms-wmv"),
      named("f.mp4", 1_001),
    ],
    limits,
  );
  expect(planned.map(({ kind }) => kind)).toEqual([
    "video",
    "text",
    "file",
    "text",
    "file",
    "video",
  ]);
  expect(planned.map(({ problem }) => problem !== "")).toEqual([
    false,
    false,
    true,
    true,
    true,
    true,
  ]);
  expect(planned[2]!.problem).toContain("101");
});

it.each([
  ["# A coin\r\n\r\nIt knows nothing.", "A coin", "It knows nothing."],
  ["---\ntitle: 'A coin'\ndate: 2026\n---\n# A coin\n\nText", "A coin", "Text"],
  ["---\ntitle: Other\n---\n# A coin\n\nText", "Other", "# A coin\n\nText"],
  ["Text\n\n# Not a title", "", "Text\n\n# Not a title"],
  ["    code first", "", "    code first"],
])("reads the title of a Markdown text: %j", async (text, title, body) => {
  expect(await readText(new File([text], "a.md"))).toEqual({ title, body, isHtml: false });
});

it("reads texts of other encodings", async () => {
  const utf16 = new Uint8Array([0xff, 0xfe, 0xe9, 0]);
  const windows = new Uint8Array([0xe9]);
  expect((await readText(new File([utf16], "a.txt"))).body).toBe("\u00e9");
  expect((await readText(new File([windows], "a.txt"))).body).toBe("\u00e9");
});

it("takes the title of a page", async () => {
  const read = await readText(new File(["<title> Coins </title><p>Text"], "a.html"));
  expect(read).toMatchObject({ title: "Coins", isHtml: true });
});
