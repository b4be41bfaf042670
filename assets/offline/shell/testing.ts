/** A store of tests, and packages of lessons. */
import type { components } from "../../shared/api/schema.gen";
import type { Change, LessonPackage, OfflineLesson, SyncReport, WaitingChange } from "../types";
import { type LocalLesson, untouched } from "./localLesson";
import type { OfflinePractice, Store, StoredPage } from "./store";

type Schemas = components["schemas"];

export const COURSE = {
  slug: "algebra",
  title: "Algebra",
  url: "/courses/algebra",
  plate: "<svg></svg>",
};
export const T0 = Date.parse("2026-03-10T18:40:00Z");

/** Take away the locks that a test file before may have left, as its tabs are gone. */
export function forgetLocks(): void {
  Object.defineProperty(navigator, "locks", { configurable: true, value: undefined });
}

export class MemoryStore implements Store {
  account = { user: "amara-id", name: "Amara", device: "device-1", key: {} as CryptoKey };
  time = T0;
  packages = new Map<string, LessonPackage>();
  lessons: OfflineLesson[] = [];
  local = new Map<string, LocalLesson>();
  changes: WaitingChange[] = [];
  dashboard: StoredPage | null = null;
  practice: OfflinePractice | null = null;
  completed = new Set<string>();
  sent = 0;

  now = (): number => this.time;
  listLessons = () =>
    Promise.resolve(
      this.lessons.map((lesson) => ({
        ...lesson,
        isCompleted: lesson.isCompleted || this.local.get(lesson.uid)?.isCompleted === true,
      })),
    );
  findByPath = (pathname: string) =>
    Promise.resolve(this.lessons.find(({ url }) => url === pathname) ?? null);
  readPackage = (uid: string) => Promise.resolve(this.packages.get(uid) ?? null);
  readLocal = (uid: string) => Promise.resolve(this.local.get(uid) ?? untouched);
  changeLocal = (uid: string, change: (known: LocalLesson) => LocalLesson) => {
    // As a real store does: through JSON.
    const before = structuredClone(this.local.get(uid) ?? untouched);
    const after = change(before);
    if (after !== before || this.local.has(uid)) this.local.set(uid, structuredClone(after));
    return Promise.resolve(after);
  };
  listLocal = () => Promise.resolve([...this.local.keys()]);
  addChange = (change: Change, title: string) => {
    this.changes.push({ change, title, refusal: null });
    return Promise.resolve();
  };
  listChanges = () => Promise.resolve([...this.changes]);
  sendChanges = (): Promise<SyncReport> => {
    this.sent += 1;
    const taken = this.changes.splice(0).length;
    return Promise.resolve({ taken, refused: [], results: [], waiting: 0 });
  };
  isCurrent = () => Promise.resolve(true);
  onClosed = () => () => undefined;
  onSynced = () => () => undefined;
  onAdded = () => () => undefined;
  readCompleted = () => Promise.resolve(this.completed);
  readDashboard = () => Promise.resolve(this.dashboard);
  readPractice = () => Promise.resolve(this.practice);
  renew = () => Promise.resolve();
  lockFor: Store["lockFor"] = () => Promise.resolve();

  /** Store a lesson with its page. */
  add(pack: LessonPackage, facts: Partial<OfflineLesson> = {}): void {
    this.packages.set(pack.uid, pack);
    const { uid, course, number, title, kind, duration, url } = pack;
    this.lessons.push({
      ...({ uid, course, number, title, kind, duration, url } as OfflineLesson),
      section: 1,
      storedAt: T0,
      quality: "480p",
      state: "downloaded",
      size: 100,
      received: 100,
      expiresAt: T0 + 30 * 86_400_000,
      refusal: null,
      isCompleted: pack.is_completed,
      position: 0,
      ...facts,
    });
  }
}

/** A row of the list of lessons, as templates/learning/_rows.html writes it. */
const rowOf = (uid: string, title: string, look: string): string =>
  `<li data-lesson="${uid}">${look === "lock" ? `<div class="lesson lesson--lock">` : `<a href="/learn/algebra/${uid}" class="lesson ${look}">`}
  <span class="lesson__state"><svg aria-label="Available"><use href="/i.svg#circle"></use></svg></span>
  <span class="lesson__title"><span class="lesson__no">1.1</span>${title}</span>${look === "lock" ? "</div>" : "</a>"}</li>`;

/** The page of a lesson, with the list of the course's lessons around its work. */
export function pageOf(work: string, rows: [uid: string, title: string, look: string][]): string {
  const list = rows.map((row) => rowOf(...row)).join("");
  return `<div class="player__prog"><span data-course-count>1 of 4 lessons</span>
    <progress class="bar" max="100" value="25" data-course-bar></progress><span data-course-percent>25%</span></div>
    <section id="lessons"><details class="player__sec" open><summary><b>1 Vectors</b>
    <span data-section-count="1">1 of 4</span></summary><ul>${list}</ul></details></section>
    <div class="player__title"><h1>Lesson</h1></div>${work}`;
}

export function packageOf(
  uid: string,
  kind: LessonPackage["kind"],
  html: string,
  facts: Partial<LessonPackage> = {},
): LessonPackage {
  const now = new Date(T0 - 3_600_000).toISOString();
  return {
    uid,
    course: COURSE,
    section: { number: 1, title: "Vectors" },
    number: "1.1",
    title: uid,
    kind,
    duration: 100,
    url: `/learn/algebra/${uid}`,
    quality: "480p",
    is_completed: false,
    requires: [],
    now,
    expires_at: new Date(T0 + 30 * 86_400_000).toISOString(),
    stamp: "s",
    state: "",
    build: "b",
    page: { title: `1.1 ${uid}`, main_class: "page player", html, sheets: ["lesson"], scripts: [] },
    notes: [],
    quiz: null,
    paper: null,
    paper_refusal: null,
    resources: [],
    size: 0,
    ...facts,
  };
}

export function playerProps(uid: string, facts: Partial<Schemas["PlayerOut"]> = {}): string {
  const props = {
    uid,
    number: "1.1",
    title: uid,
    url: `/learn/algebra/${uid}`,
    duration: 100,
    position: 0,
    position_at: null,
    watched: [],
    watched_seconds: 0,
    completed: false,
    may_save: true,
    is_processing: false,
    external: null,
    chapters: [],
    downloads: [],
    transcript: [],
    progress_url: "",
    previous: null,
    next: null,
    course: { ...COURSE, completed_lessons: 1, lesson_count: 4, percent: 25 },
    sources: null,
    ...facts,
  };
  return `<div data-island="player" data-when="intent" data-scope="part"><section class="stage"><button data-start data-begin="0">Play</button></section></div>
    <script type="application/json">${JSON.stringify(props)}</script>`;
}

/** Ask the offline API. */
export async function call(
  answer: (request: Request) => Promise<Response | null>,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; data: Record<string, unknown> } | null> {
  const init = { method, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await answer(new Request(`${location.origin}${path}`, init));
  if (!response) return null;
  return { status: response.status, data: (await response.json()) as Record<string, unknown> };
}
