import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../../../shared/testing/listeners";
import { pickLanguage, linesOf } from "./captions";
import { failureOf, levelOf, nameOf } from "../../../shared/video/hls";
import { showCourse, showOutline } from "../../../shared/updateLessonPage";
import { defaults, readSettings, writeSettings } from "./settings";
import { parseStoryboard, tileAt } from "./storyboard";
import { followTranscript } from "./transcript";

forgetListenersAfterEach();

// --- Settings ----------------------------------------------------------------------------------

it("remembers what was chosen", () => {
  const chosen = { ...defaults, speed: 1.5, quality: "720p", isMuted: true } as const;
  writeSettings(localStorage, chosen);

  expect(readSettings(localStorage)).toEqual(chosen);
});

it("shows captions until the user turns them off for all lessons", () => {
  expect(readSettings(localStorage).hasCaptions).toBe(true);

  writeSettings(localStorage, { ...defaults, hasCaptions: false });
  expect(readSettings(localStorage).hasCaptions).toBe(false);
});

it.each([
  ["{torn", {}],
  ["null", {}],
  ['{"speed":3,"volume":7,"quality":"4k","isMuted":"yes"}', {}],
  ['{"speed":2,"volume":0.3}', { speed: 2, volume: 0.3 }],
])("reads only valid settings from %s", (stored, kept) => {
  localStorage.setItem("study.player", stored);

  expect(readSettings(localStorage)).toEqual({ ...defaults, ...kept });
});

// --- hls.js ---------------------------------------------------------------------------------------

it.each([
  [{ name: "1080p", width: 1920, height: 1080 }, "1080p"],
  [{ width: 1280, height: 720 }, "720p"],
  [{ width: 480, height: 854 }, "480p"],
  [{ width: 0, height: 480 }, "480p"],
])("names the level %j %s", (level, name) => {
  expect(nameOf(level)).toBe(name);
});

it.each([
  [["480p", "720p", "1080p"], "1080p", 2],
  [["1080p", "480p", "720p"], "1080p", 0],
  [["480p", "720p"], "1080p", 1],
  [["720p"], "480p", -1],
  [["480p", "720p", "1080p"], "auto", -1],
  [["480p", "720p", "1080p"], "audio", -1],
  [[], "720p", -1],
] as const)("finds in %j for %s the level %i", (names, quality, index) => {
  expect(levelOf(names, quality)).toBe(index);
});

it.each([
  ["networkError", { code: 0 }, false, "start"],
  ["networkError", { code: 500 }, true, "network"],
  ["networkError", undefined, true, "network"],
  ["networkError", { code: 403 }, true, "expired"],
  ["networkError", { code: 404 }, false, "gone"],
  ["mediaError", undefined, true, "media"],
  ["muxError", undefined, false, "media"],
])("maps %s with %j (started: %s) to %s", (type, response, hasStarted, failure) => {
  const error = { type, response } as unknown as Parameters<typeof failureOf>[0];

  expect(failureOf(error, hasStarted)).toBe(failure);
});

// --- Storyboard -------------------------------------------------------------------------------------

const board = `WEBVTT

00:00.000 --> 00:10.000
storyboard-0.jpg#xywh=0,0,160,90

00:00:10.000 --> 00:00:20.500\r
storyboard-0.jpg#xywh=160,0,160,90\r

NOTE nothing

01:00:00.000 --> 01:00:10.000
other/sheet.jpg#xywh=0,90,160,90
`;

it("reads the area of each thumbnail, with addresses relative to the storyboard", () => {
  const tiles = parseStoryboard(board, "/media/v/token/storyboard.vtt");

  expect(tiles).toHaveLength(3);
  expect(tiles[1]).toEqual({
    from: 10,
    to: 20.5,
    sheet: "http://study.test/media/v/token/storyboard-0.jpg",
    x: 160,
    y: 0,
    w: 160,
    h: 90,
  });
  expect(tiles[2]).toMatchObject({
    from: 3600,
    sheet: expect.stringContaining("token/other/") as string,
  });
});

it("finds the thumbnail of a second, the last one after its end", () => {
  const tiles = parseStoryboard(board, "/storyboard.vtt");

  expect(tileAt(tiles, 10)?.x).toBe(160);
  expect(tileAt(tiles, 9.99)?.x).toBe(0);
  expect(tileAt(tiles, 99_999)?.y).toBe(90);
  expect(tileAt([], 5)).toBeNull();
  expect(parseStoryboard("<html>", "/storyboard.vtt")).toEqual([]);
});

// --- Captions ------------------------------------------------------------------------------------------

it("reads the text of a cue without markup", () => {
  const cues = [{ text: "<v Ada>So the <b>grid</b> slants &amp; turns\nand &lt;x&gt;" }];

  expect(linesOf(cues as unknown as TextTrackCueList)).toEqual([
    "So the grid slants & turns",
    "and <x>",
  ]);
  const ruby = [
    {
      text: "<ruby>漢<rt>kan</rt></ruby> &#8364; caf&eacute; &lt;/textarea&gt;&lt;img&gt; \u05d0&lrm;!",
    },
  ];
  expect(linesOf(ruby as unknown as TextTrackCueList)).toEqual([
    "漢(kan) € café </textarea><img> \u05d0\u200e!",
  ]);
  expect(linesOf(null)).toEqual([]);
});

it.each([
  ["de", "en", "de"],
  ["", "en", "en-GB"],
  ["fr", "de-AT", "de"],
  ["", "ja", "en-GB"],
])(
  "picks from German and British English for setting %j and page language %s: %s",
  (wanted, own, picked) => {
    const tracks = ["en-GB", "de"].map((language) => ({ language, label: "", url: "" }));

    expect(pickLanguage(tracks, wanted, own)).toBe(picked);
  },
);

// --- Transcript --------------------------------------------------------------------------------------------

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn();
  stageAt(-500);
});
afterEach(() => vi.useRealTimers());

/** Where the picture stands in the window. */
function stageAt(top: number): void {
  const box = new DOMRect(0, top, 800, 450);
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(box);
}

const script = `
  <section class="stage"></section>
  <button data-follow aria-pressed="true">Follow along</button>
  <ol data-transcript>
    <li id="a"><p><span data-from="0" data-to="4">One.</span> <span data-from="4" data-to="8">Two.</span></p></li>
    <li id="b"><p><span data-from="20" data-to="24">Three.</span></p></li>
  </ol>`;
const said = (): (string | null)[] =>
  [...document.querySelectorAll(".is-said")].map((one) => one.textContent);
const now = (): string[] => [...document.querySelectorAll(".is-now")].map(({ id }) => id);

it("marks the spoken line and its paragraph", () => {
  document.body.innerHTML = script;
  const transcript = followTranscript(document);
  const seen: unknown[] = [];
  for (const time of [0, 3.9, 4, 8.5, 15, 20, 2]) {
    transcript.at(time);
    seen.push([said(), now()]);
  }

  expect(seen).toEqual([
    [["One."], ["a"]],
    [["One."], ["a"]],
    [["Two."], ["a"]],
    [["Two."], ["a"]],
    [[], []],
    [["Three."], ["b"]],
    [["One."], ["a"]],
  ]);
});

it("scrolls along unless turned off, and pauses after the user has scrolled", () => {
  vi.useFakeTimers();
  document.body.innerHTML = script;
  const transcript = followTranscript(document);
  const scrolled = vi.mocked(Element.prototype.scrollIntoView);
  transcript.at(0);
  expect(scrolled).toHaveBeenCalledTimes(1);

  dispatchEvent(new Event("wheel"));
  transcript.at(4);
  expect(scrolled).toHaveBeenCalledTimes(1);

  vi.advanceTimersByTime(6000);
  transcript.at(20);
  expect(scrolled).toHaveBeenCalledTimes(2);

  const follow = document.querySelector<HTMLElement>("[data-follow]")!;
  follow.click();
  expect(follow.getAttribute("aria-pressed")).toBe("false");
  transcript.at(0);
  expect(scrolled).toHaveBeenCalledTimes(2);
});

it("does not scroll while the video is in view", () => {
  stageAt(100);
  document.body.innerHTML = script;
  followTranscript(document).at(0);

  expect(Element.prototype.scrollIntoView).not.toHaveBeenCalled();
});

it("does without a transcript", () => {
  document.body.innerHTML = "";

  expect(() => followTranscript(document).at(5)).not.toThrow();
});

// --- The page around it ------------------------------------------------------------------------------------

const icon = (name: string, label: string): string =>
  `<span class="lesson__state"><svg role="img" aria-label="${label}"><use href="/i.svg#${name}"/></svg></span>`;
const page = `
  <span data-course-count>15 of 36 lessons</span><span data-course-count>15 von 36 fertig</span>
  <progress data-course-bar max="100" value="42"></progress><span data-course-percent>42%</span>
  <span data-section-count="2">3 of 10</span>
  <ul>
    <li data-lesson="now"><a class="lesson lesson--now" href="/learn/c/now" aria-current="page">${icon("circle-play", "In progress")}</a></li>
    <li data-lesson="shut"><div class="lesson lesson--lock">${icon("lock", "Locked")}<span class="lesson__note">Opens when 2.4 is complete</span></div></li>
    <li data-lesson="quiz"><div class="lesson lesson--lock">${icon("lock", "Locked")}</div></li>
    <li data-lesson="far"><div class="lesson lesson--lock">${icon("lock", "Locked")}</div></li>
  </ul>
  <span class="ways__one faint" data-next="/learn/c/shut"><svg aria-label="Locked"><use href="/i.svg#lock"/></svg></span>`;

type Outline = Parameters<typeof showOutline>[1];
const link = (uid: string, state: string, kind = "video") =>
  ({ uid, number: "2.5", title: uid, kind, duration: 60, url: `/learn/c/${uid}`, state }) as const;
const outline = {
  course: {
    slug: "c",
    title: "C",
    url: "/courses/c",
    lesson_count: 36,
    completed_lessons: 16,
    percent: 44,
  },
  sections: [
    {
      title: "Two",
      number: 2,
      lesson_count: 10,
      completed_lessons: 4,
      lessons: [
        link("now", "completed"),
        link("shut", "available"),
        link("quiz", "available", "quiz"),
        link("far", "locked"),
        link("not-on-this-page", "available"),
      ],
    },
  ],
} as unknown as Outline;

const row = (uid: string): HTMLElement => document.querySelector(`[data-lesson=${uid}] .lesson`)!;
const state = (uid: string): [string | null | undefined, string | null | undefined] => [
  row(uid).querySelector("use")?.getAttribute("href"),
  row(uid).querySelector("svg")?.getAttribute("aria-label"),
];

it("updates the counts in any language, and the bar", () => {
  document.body.innerHTML = page;
  showCourse(document, { completed_lessons: 16, lesson_count: 36, percent: 44 });

  expect(
    [...document.querySelectorAll("[data-course-count]")].map((one) => one.textContent),
  ).toEqual(["16 of 36 lessons", "16 von 36 fertig"]);
  expect(document.querySelector("progress")?.value).toBe(44);
  expect(document.querySelector("[data-course-percent]")?.textContent).toBe("44%");
});

it("marks completed lessons and unlocks the next one without a reload", () => {
  document.body.innerHTML = page;
  showOutline(document, outline);

  expect(row("now").classList.contains("lesson--done")).toBe(true);
  expect(state("now")).toEqual(["/i.svg#circle-check", "Completed"]);
  expect(row("shut").tagName).toBe("A");
  expect(row("shut").getAttribute("href")).toBe("/learn/c/shut");
  expect(row("shut").className).toBe("lesson");
  expect(row("shut").textContent).not.toContain("Opens when");
  expect(state("shut")).toEqual(["/i.svg#circle", "Available"]);
  expect(state("quiz")).toEqual(["/i.svg#circle-question-mark", "Available"]);
  expect(row("far").tagName).toBe("DIV");
  expect(state("far")).toEqual(["/i.svg#lock", "Locked"]);
  expect(document.querySelector("[data-section-count]")?.textContent).toBe("4 of 10");
});

it("unlocks the next lesson", () => {
  document.body.innerHTML = page;
  showOutline(document, outline);
  const way = document.querySelector(".ways__one")!;

  expect(way.tagName).toBe("A");
  expect(way.getAttribute("href")).toBe("/learn/c/shut");
  expect(way.getAttribute("rel")).toBe("next");
  expect(way.querySelector("use")?.getAttribute("href")).toBe("/i.svg#arrow-right");
});
