/** A server for offline lessons, which does what it is told: it fails, loses responses, changes lessons, and refuses. */
import type { components } from "../../shared/api/schema.gen";
import type { Change, LessonPackage, Refusal, StorableLesson } from "../types";

type Outcome = components["schemas"]["TakenChange"];

export type FakeResource = {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  type?: string;
  filename?: string;
  /** Its size is not told. */
  isUnmeasured?: boolean;
  content?: string;
};
export type FakeLesson = {
  uid: string;
  stamp: string;
  state: string;
  resources: FakeResource[];
  html: string;
  refusal: Refusal | null;
  days: number;
};

type Intercepted = Response | "lost" | "unheard" | undefined;

const DAY_MS = 86_400_000;
export const REFUSAL: Refusal = {
  code: "ENROLLMENT_REQUIRED",
  title: "Enroll in this course first",
  message: "This is open to learners.",
};

/** Bytes that differ from place to place and from seed to seed. */
export function bytesOf(length: number, seed = 1): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let state = seed * 2654435761;
  for (let index = 0; index < length; index += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    bytes[index] = state >>> 24;
  }
  return bytes;
}

export class FakeServer {
  build = "b1";
  /** Whose session the cookie is; null: nobody's. */
  signedIn: string | null = "ada";
  /** Milliseconds since 1970. */
  now = Date.now();
  lessons = new Map<string, FakeLesson>();
  /** Lessons that the learner has completed, also with other browsers. */
  completed: string[] = [];
  devices = new Map<string, string>();
  /** Change → outcome: a change that comes again gets the same. */
  taken = new Map<string, Outcome>();
  /** Changes as they were taken, once each. */
  applied: Change[] = [];
  judge: (change: Change) => Partial<Outcome> = () => ({});
  /** Method, path and Range of every request. */
  requests: string[] = [];
  /** Answers before the server does; "lost": the connection fails, "unheard": it fails after the server acted. */
  intercept: (path: string, request: Request) => Intercepted | Promise<Intercepted> = () =>
    undefined;
  /** Bytes of media per chunk; after each, `onChunk` may pause or fail the stream. */
  chunk = 300_000;
  onChunk: (path: string) => Promise<void> | void = () => undefined;
  isHanging = false;
  /** Signed addresses of an older number are refused. */
  signature = 1;

  addLesson(
    uid: string,
    resources: FakeResource[] = [],
    more: Partial<FakeLesson> = {},
  ): FakeLesson {
    const html = `<p>Secret text of ${uid}</p>`;
    const facts = { stamp: "s1", state: "p1", html, refusal: null, days: 30 };
    const lesson = { uid, resources, ...facts, ...more };
    this.lessons.set(uid, lesson);
    return lesson;
  }

  storable(uid: string): StorableLesson {
    const { resources = [] } = this.lessons.get(uid) ?? {};
    const size = resources.reduce((sum, { bytes }) => sum + bytes.length, 0);
    return {
      uid,
      number: "1.1",
      title: `Secret title of ${uid}`,
      kind: "video",
      duration: 60,
      url: `/learn/secret-course/${uid}`,
      section: 1,
      is_completed: false,
      sizes: [{ quality: "720p", size }],
      refusal: null,
    };
  }

  course = {
    slug: "secret-course",
    title: "Secret course",
    url: "/courses/secret-course",
    plate: "<svg></svg>",
  };

  fetch = async (input: Request | string, init?: RequestInit): Promise<Response> => {
    const request =
      input instanceof Request ? input : new Request(new URL(input, location.origin), init);
    const signal = init?.signal ?? request.signal;
    const { pathname, search } = new URL(request.url);
    const range = new Headers(init?.headers ?? request.headers).get("Range");
    this.requests.push(`${request.method} ${pathname}${range ? ` ${range}` : ""}`);
    await Promise.resolve();
    if (this.isHanging) return new Promise(() => undefined);
    signal.throwIfAborted();
    const early = await this.intercept(pathname, request);
    if (early === "lost") throw new TypeError("Failed to fetch");
    if (early instanceof Response) return early;
    const response = await this.#answer(request, pathname + search, range, signal);
    if (early === "unheard") throw new TypeError("Failed to fetch");
    return response;
  };

  async #answer(request: Request, path: string, range: string | null, signal: AbortSignal) {
    if (path.startsWith("/media/")) return this.#sendMedia(path, range, signal);
    const parts = path.split("/").filter(Boolean).slice(2);
    const body: unknown = request.method === "POST" ? await request.json() : null;
    if (parts[0] === "auth")
      return this.signedIn === null
        ? problem(401, "AUTHENTICATION_REQUIRED")
        : json({ user: { id: this.signedIn, username: this.signedIn }, token: "" });
    if (parts[0] === "offline") return this.#answerOffline(request.method, parts.slice(1), body);
    return new Response("", { status: 404 });
  }

  #answerOffline(method: string, [kind, device = "", what, lesson = ""]: string[], body: unknown) {
    const now = new Date(this.now).toISOString();
    if (kind === "shell") return json(this.#shell());
    if (kind === "practice") return json({ practice: {}, solutions: [] });
    if (kind !== "devices") return problem(404, "NOT_FOUND");
    if (device === "") return json(this.#open(`device-${this.devices.size + 1}`, now), 201);
    if (!this.devices.has(device)) return problem(404, "OFFLINE_DEVICE_REMOVED");
    if (method === "GET") return json(this.#open(device, now));
    if (what === "lessons") return this.#package(lesson, now);
    if (what === "check-in")
      return json(this.#checkIn((body as { lessons: string[] }).lessons, now));
    if (what === "changes") return json(this.#take((body as { changes: Change[] }).changes, now));
    this.devices.delete(device);
    return new Response(null, { status: 204 });
  }

  #open(uid: string, now: string) {
    const key =
      this.devices.get(uid) ?? btoa(String.fromCharCode(...bytesOf(32, this.devices.size + 7)));
    this.devices.set(uid, key);
    const plain = key.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    return { uid, name: "A browser", created_at: now, last_contact_at: now, key: plain, now };
  }

  #shell() {
    const files = ["core.css", "site.js"].map((name) => ({
      address: `/offline/static/dist/${this.build}-${name}`,
      source: `/media/static/${this.build}-${name}`,
    }));
    return {
      build: this.build,
      html: `<p>Shell ${this.build}</p>`,
      files,
      sheets: {},
      scripts: {},
    };
  }

  #package(uid: string, now: string): Response {
    const lesson = this.lessons.get(uid);
    if (!lesson) return problem(404, "NOT_FOUND");
    if (lesson.refusal) return problem(403, lesson.refusal.code);
    const resources = lesson.resources.map((one) => ({
      name: one.name,
      source: `/media/${uid}/${one.name}?s=${this.signature}`,
      size: one.isUnmeasured ? null : one.bytes.length,
      media_type: one.type ?? "video/iso.segment",
      filename: one.filename ?? "",
      content: one.content ?? "",
    }));
    const { number, title, kind, duration, url } = this.storable(uid);
    const sent = {
      ...{ uid, number, title, kind, duration, url, course: this.course, quality: "720p", now },
      section: { number: 1, title: "Secret section" },
      is_completed: this.completed.includes(uid),
      requires: [],
      expires_at: new Date(this.now + lesson.days * DAY_MS).toISOString(),
      stamp: lesson.stamp,
      state: lesson.state,
      build: this.build,
      page: {
        title,
        main_class: "page",
        html: `${lesson.html}<!--${this.build}-->`,
        sheets: [],
        scripts: [],
      },
      notes: [],
      quiz: null,
      paper: null,
      paper_refusal: null,
      resources,
      size: resources.reduce((sum, { size }) => sum + (size ?? 0), 0),
    };
    return json(sent satisfies LessonPackage);
  }

  #checkIn(uids: string[], now: string) {
    const lessons = uids.map((uid) => {
      const lesson = this.lessons.get(uid);
      const refusal = lesson ? lesson.refusal : REFUSAL;
      const until = new Date(this.now + (lesson?.days ?? 0) * DAY_MS).toISOString();
      return {
        uid,
        expires_at: refusal ? null : until,
        stamp: lesson?.stamp ?? "",
        state: lesson?.state ?? "",
        refusal,
      };
    });
    return { now, build: this.build, lessons, completed: this.completed };
  }

  #take(changes: Change[], now: string) {
    const results = changes.map((change) => {
      const known = this.taken.get(change.id);
      if (known) return known;
      const usual = { refusal: null, wait: 0, percent: null, is_passed: null };
      const outcome: Outcome = { id: change.id, state: "taken", ...usual, ...this.judge(change) };
      if (outcome.state !== "later") this.taken.set(change.id, outcome);
      if (outcome.state === "taken") this.applied.push(change);
      return outcome;
    });
    return { now, results };
  }

  #sendMedia(path: string, range: string | null, signal: AbortSignal): Response {
    const { pathname, searchParams } = new URL(path, location.origin);
    const [, , uid = "", ...rest] = pathname.split("/");
    if (uid === "static") return new Response(`file ${rest.join("/")}`);
    if (Number(searchParams.get("s")) < this.signature) return new Response("", { status: 403 });
    const found = this.lessons
      .get(uid)
      ?.resources.find(({ name }) => name === decodeURIComponent(rest.join("/")));
    if (!found) return new Response("", { status: 404 });
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
    const { bytes } = found;
    if (range && start >= bytes.length) return new Response("", { status: 416 });
    const headers = new Headers({ "Content-Length": String(bytes.length - start) });
    if (range) headers.set("Content-Range", `bytes ${start}-${bytes.length - 1}/${bytes.length}`);
    let position = start;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        signal.addEventListener("abort", () => controller.error(signal.reason)),
      pull: async (controller) => {
        await this.onChunk(pathname);
        if (this.isHanging) return new Promise(() => undefined);
        if (signal.aborted) return;
        if (position < bytes.length) {
          controller.enqueue(bytes.slice(position, position + this.chunk));
          position += this.chunk;
        }
        if (position >= bytes.length) controller.close();
      },
    });
    return new Response(body, { status: range ? 206 : 200, headers });
  }
}

export function json(value: unknown, status = 200): Response {
  const headers = { "Content-Type": "application/json" };
  return new Response(JSON.stringify(value), { status, headers });
}

export function problem(status: number, code: string): Response {
  return json(
    { type: "about:blank", title: code, status, detail: `Because of ${code}.`, code },
    status,
  );
}
