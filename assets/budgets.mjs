// How much JavaScript each page may load, in bytes of gzip. A page over its budget fails `make check` and `make test`.
import { fetchedLater, loadedWith, outputOf } from "./outputs.mjs";

const kB = 1000;
// How much a page may weigh over its budget, as a factor: versions of zlib differ by some tenths of a percent.
const SLACK = 1.01;

/** What all islands share (React, queries, API client), the own code of one island, and of the wizard with the editor. */
export const islandBudgets = { shared: 92 * kB, own: 60 * kB, wizardWithEditor: 150 * kB };

const everyPage = ["site", "islands"];
/** What every page of a lesson fetches, to hear of a new version of its course. */
const newVersion = "site/newVersion";
/** Texts of courses are written in the live editor: fetched when someone writes. */
const liveEditor = [
  "shared/editor/liveSurface.ts",
  "shared/editor/search.ts",
  "shared/composer/Suggestions.tsx",
  "shared/composer/UploadList.tsx",
  "shared/composer/editPicture.ts",
  "shared/composer/pastedPictures.ts",
  "shared/composer/TableMenu.tsx",
  "shared/uploads/tusTransport.ts",
];
/** Of them, what everyone needs who writes a text of a course. The rest waits for a table, a search, a menu or a file. */
const whileWriting = ["shared/composer/CourseWriting.tsx", "shared/editor/liveSurface.ts"];

/** Only pages with these islands load the editor, and only its sources are in these folders. */
const writingIslands = ["editor", "wizard"];
const editorSource = /^assets\/shared\/(?:editor|composer)\//;

/** Who stores no lessons loads none of it. */
const offlineSource = /^assets\/offline\//;

/**
 * Each kind of page: the scripts of its templates, its islands, and its budget. `later` names modules that
 * `site` fetches on such a page once it has loaded; what an island fetches later is counted without being named,
 * except for `onDemand`: what it fetches only when the user opens it, or at the end, which has a budget of its own.
 */
export const pages = {
  "page without islands": { scripts: everyPage, budget: 15 * kB },
  "page in a browser with offline lessons": {
    scripts: everyPage,
    later: ["offline/start"],
    budget: 22 * kB,
  },
  "course page": { scripts: everyPage, later: ["site/courseVisit"], budget: 16 * kB },
  "learner's dashboard": { scripts: [...everyPage, "heatMap"], budget: 16 * kB },
  "page with passkeys": { scripts: [...everyPage, "passkeys"], budget: 18 * kB },
  "text or file lesson": {
    scripts: [...everyPage, "lesson", "timeline"],
    later: [newVersion],
    budget: 31 * kB,
  },
  // Before the user starts writing: the composer is fetched then.
  "forum topic": {
    scripts: [...everyPage, "topic"],
    later: ["site/formIslands"],
    budget: 16.8 * kB,
  },
  messages: { scripts: [...everyPage, "messages"], later: ["site/notifications"], budget: 24 * kB },
  moderation: {
    scripts: [...everyPage, "moderation"],
    later: ["site/notifications"],
    budget: 24 * kB,
  },
  "video lesson": {
    scripts: [...everyPage, "timeline"],
    islands: ["player"],
    later: ["site/notifications", newVersion],
    onDemand: [
      "islands/player/EndScreen.tsx",
      "islands/player/ExternalVideo.tsx",
      "islands/player/Preview.tsx",
      "islands/player/QualityNotice.tsx",
      "islands/player/SettingsPanel.tsx",
      "shared/video/native.ts",
      "islands/player/showCompletion.ts",
    ],
    budget: 248 * kB,
    budgetOnDemand: 14 * kB,
  },
  // What opening the notes of a text lesson brings; beside a video, most of it is there already.
  "lesson with its notes open": {
    scripts: [...everyPage, "timeline"],
    islands: ["timeline"],
    later: [newVersion],
    budget: 130 * kB,
  },
  "quiz lesson": {
    scripts: everyPage,
    islands: ["quiz"],
    later: ["site/notifications", newVersion],
    budget: 135 * kB,
  },
  practice: {
    scripts: everyPage,
    islands: ["practice"],
    later: ["site/notifications"],
    budget: 135 * kB,
  },
  "the tutor's page": {
    scripts: everyPage,
    islands: ["tutor"],
    later: ["site/notifications"],
    budget: 135 * kB,
  },
  "upload page": {
    scripts: everyPage,
    islands: ["uploader"],
    later: ["site/notifications"],
    budget: 150 * kB,
  },
  checkout: {
    scripts: everyPage,
    islands: ["checkout"],
    later: ["site/notifications"],
    budget: 130 * kB,
  },
  "saved cards": {
    scripts: everyPage,
    islands: ["card-form"],
    later: ["site/notifications"],
    budget: 125 * kB,
  },
  "checkout of Premium": {
    scripts: everyPage,
    islands: ["premium"],
    later: ["site/notifications"],
    budget: 130 * kB,
  },
  "payment in progress": {
    scripts: everyPage,
    islands: ["payment-status"],
    later: ["site/notifications"],
    budget: 120 * kB,
  },
  "forum topic, writing": {
    scripts: [...everyPage, "topic"],
    islands: ["editor"],
    later: ["site/notifications"],
    onDemand: liveEditor,
    budgetOnDemand: 142 * kB,
    budget: 130 * kB,
  },
  "new topic": {
    scripts: [...everyPage, "newTopic"],
    islands: ["editor"],
    later: ["newTopic/similarTopics", "site/notifications"],
    onDemand: liveEditor,
    budgetOnDemand: 142 * kB,
    budget: 130 * kB,
  },
  "sample of a query": {
    scripts: everyPage,
    islands: ["sample-todos", "sample-names", "shared-todos"],
    budget: 125 * kB,
  },
  "lessons on this device": {
    scripts: [...everyPage, "offline"],
    islands: ["offline-library"],
    budget: 168 * kB,
  },
  files: {
    scripts: everyPage,
    islands: ["files"],
    later: ["site/notifications"],
    budget: 166 * kB,
  },
  "learning path in the studio": {
    scripts: [...everyPage, "pathOrder"],
    later: ["site/notifications"],
    budget: 24 * kB,
  },
  "course wizard": {
    scripts: everyPage,
    islands: ["wizard"],
    later: ["site/notifications"],
    onDemand: [
      ...liveEditor,
      "shared/composer/CourseWriting.tsx",
      "islands/wizard/NewCourse.tsx",
      "islands/wizard/PictureDialog.tsx",
    ],
    budgetOnDemand: 160 * kB,
    budget: 142 * kB,
  },
  "question in the studio": {
    scripts: everyPage,
    islands: ["question-preview", "editor"],
    later: ["site/notifications"],
    onDemand: liveEditor,
    budgetOnDemand: 142 * kB,
    budget: 150 * kB,
  },
  "captions in the studio": {
    scripts: everyPage,
    islands: ["captions"],
    later: ["site/notifications"],
    onDemand: ["shared/video/native.ts", "islands/captions/ImportDialog.tsx"],
    budget: 264 * kB,
    budgetOnDemand: 4 * kB,
  },
  analytics: { scripts: everyPage, later: ["site/charts", "site/notifications"], budget: 19 * kB },
  "retention of a video": {
    scripts: everyPage,
    islands: ["retention"],
    later: ["site/charts", "site/notifications"],
    onDemand: ["shared/video/native.ts"],
    budget: 264 * kB,
    budgetOnDemand: 4 * kB,
  },
  "lectures in the studio": {
    scripts: [...everyPage, "outline"],
    islands: ["lesson-file", "editor"],
    later: ["site/notifications"],
    onDemand: liveEditor,
    budgetOnDemand: 142 * kB,
    budget: 165 * kB,
  },
};

const islandSource = (name) => `assets/islands/${name}/index.tsx`;

/** The files that a page loads, as keys of `outputs`; without those it fetches on demand. */
export function filesOf(outputs, { scripts, islands = [], later = [], onDemand = [] }) {
  const left = new Set(onDemand.map((name) => outputOf(outputs, `assets/${name}`)));
  const sources = [...scripts, ...later].map((name) => `assets/${name}.ts`);
  if (islands.length > 0) sources.push("assets/shared/mount.tsx");
  const files = sources.map((source) => outputOf(outputs, source));
  for (const name of islands) {
    const island = outputOf(outputs, islandSource(name));
    const fetched = [...fetchedLater(outputs, island)];
    files.push(island, ...fetched.filter((file) => !left.has(file)));
  }
  return new Set(files.flatMap((file) => [...loadedWith(outputs, file)]));
}

const format = (bytes) => `${(bytes / kB).toFixed(1)} kB`.padStart(9);

/**
 * Compare the built files with the budgets.
 * @param outputs `metafile.outputs`
 * @param sizeOf key of `outputs` → bytes of gzip
 * @returns `lines` to print, and `broken`: a sentence for each budget that is exceeded
 */
export function checkBudgets(outputs, sizeOf) {
  const lines = [];
  const broken = [];
  const compare = (what, files, budget) => {
    const bytes = [...files].reduce((sum, file) => sum + sizeOf(file), 0);
    lines.push(`${format(bytes)} of ${format(budget)}  ${what}`);
    if (bytes > budget * SLACK)
      broken.push(
        `Over budget: ${what} weighs ${format(bytes).trim()} gzip of ${format(budget).trim()}.`,
      );
  };
  for (const [name, page] of Object.entries(pages)) {
    const files = filesOf(outputs, page);
    const isWriting = page.islands?.some((island) => writingIslands.includes(island));
    const editor = [...files].filter((file) =>
      Object.keys(outputs[file]?.inputs ?? {}).some((input) => editorSource.test(input)),
    );
    if (!isWriting && editor.length > 0)
      broken.push(`Who reads loads no editor: ${name} loads ${editor.join(", ")}.`);
    const isOffline = (file) =>
      Object.keys(outputs[file]?.inputs ?? {}).some((input) => offlineSource.test(input));
    if (page.scripts === everyPage && !page.islands && !page.later && [...files].some(isOffline))
      broken.push(`Who stores no lessons loads nothing of it: ${name} does.`);
    compare(name, files, page.budget);
    const { onDemand = [], budgetOnDemand } = page;
    const opened = onDemand.flatMap((source) => [
      ...loadedWith(outputs, outputOf(outputs, `assets/${source}`)),
    ]);
    const more = new Set(opened.filter((file) => !files.has(file)));
    if (opened.length > 0) compare(`${name}, on demand`, more, budgetOnDemand);
  }

  const page = filesOf(outputs, { scripts: everyPage });
  const shared = loadedWith(outputs, outputOf(outputs, "assets/shared/mount.tsx"));
  const only = (files, ...without) =>
    [...files].filter((file) => !without.some((others) => others.has(file)));
  compare("shared by all islands", only(shared, page), islandBudgets.shared);
  for (const name of new Set(Object.values(pages).flatMap(({ islands = [] }) => islands))) {
    const own = loadedWith(outputs, outputOf(outputs, islandSource(name)));
    compare(`island ${name}, own code`, only(own, page, shared), islandBudgets.own);
  }
  const writing = [...whileWriting.map((name) => `assets/${name}`), islandSource("wizard")]
    .map((source) => [...loadedWith(outputs, outputOf(outputs, source))])
    .flat();
  const together = new Set(only(writing, page, shared));
  compare("wizard with the live editor, own code", together, islandBudgets.wizardWithEditor);
  return { lines, broken };
}
