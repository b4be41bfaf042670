import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { authenticatedApi, setLocalAnswer, unwrap } from "../../shared/api/client";
import { session } from "../../shared/auth/browser";
import { openAttempt } from "./attempts";
import type { LocalAttempt } from "./localLesson";
import { startShell } from "./start";
import { forgetLocks, MemoryStore, packageOf, pageOf, playerProps, T0 } from "./testing";

const { mount } = vi.hoisted(() => ({
  mount: vi.fn<(spot: HTMLElement) => Promise<void>>(() => Promise.resolve()),
}));
vi.mock("../../shared/mount", () => ({ mount }));

const fetch = vi.fn<(request: Request | string) => Promise<Response>>();
let store: MemoryStore;

async function openShell(path: string, found: MemoryStore | null = store): Promise<void> {
  history.replaceState(null, "", path);
  await startShell({
    openStore: () => Promise.resolve(found),
    lastContact: () => Promise.resolve(T0),
    hasStored: () => true,
    showReport: () => undefined,
  });
}
const main = (): HTMLElement => document.querySelector("#main")!;
const words = (selector: string): string =>
  document.querySelector(selector)?.textContent.replace(/\s+/g, " ").trim() ?? "";

beforeEach(() => {
  forgetLocks();
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      observe = (): void => undefined;
      unobserve = (): void => undefined;
    },
  );
  vi.stubGlobal("scrollTo", () => undefined);
  fetch.mockRejectedValue(new TypeError("no network"));
  vi.stubGlobal("fetch", fetch);
  mount.mockClear();
  document.title = "On this device | Study Platform";
  document.body.innerHTML = `<div data-offline-note hidden></div><p data-offline-account hidden></p>
    <main id="main" aria-busy="true"><div data-offline-home hidden></div></main>`;
  store = new MemoryStore();
  const rows: [string, string, string][] = [
    ["video", "Vectors", "lesson--now"],
    ["elsewhere", "Far", ""],
  ];
  store.add(packageOf("video", "video", pageOf(playerProps("video"), rows)));
});

afterEach(() => {
  setLocalAnswer(() => Promise.resolve(null));
  session.clear();
  delete document.documentElement.dataset.offline;
});

it("shows a stored lesson at its address, with what was done here", async () => {
  await store.changeLocal("video", (known) => ({
    ...known,
    position: 42,
    positionAt: new Date(T0).toISOString(),
  }));
  await openShell("/learn/algebra/video");

  expect(document.title).toBe("1.1 video | Study Platform");
  expect(main().className).toBe("page player");
  expect(main().hasAttribute("aria-busy")).toBe(false);
  const spot = main().querySelector<HTMLElement>("[data-island=player]")!;
  expect(mount).toHaveBeenCalledExactlyOnceWith(spot);
  expect(JSON.parse(spot.nextElementSibling!.textContent)).toMatchObject({ position: 42 });
  expect(words("[data-lesson=elsewhere] .lesson__note")).toBe("Not on this device");
  expect(words("[data-offline-note] [role=status]")).toContain("You've been offline since");
  expect(words("[data-offline-account]")).toContain("Amara");
});

it("shows a stored lesson where nothing can be written, as the storage is full", async () => {
  store.changeLocal = () => Promise.reject(new DOMException("Full", "QuotaExceededError"));
  await openShell("/learn/algebra/video");
  expect(words("h1")).toBe("Lesson");
  expect(main().hasAttribute("aria-busy")).toBe(false);
});

it("shows a page of its own where what is stored can't be read", async () => {
  store.readPackage = () => Promise.reject(new DOMException("", "OperationError"));
  await openShell("/learn/algebra/video");
  expect(words("h1")).toBe("This page can't be opened");
  expect(main().hasAttribute("aria-busy")).toBe(false);
});

it("acts as the account without a token, and answers calls here", async () => {
  await openShell("/learn/algebra/video");

  expect(session.state.user?.id).toBe("amara-id");
  expect(document.querySelector<HTMLMetaElement>("meta[name=study-user]")?.content).toBe(
    "amara-id",
  );
  const params = { path: { uid: "video" } };
  const player = unwrap(authenticatedApi.GET("/api/v1/lessons/{uid}/player/", { params }));
  await expect(player).resolves.toMatchObject({ uid: "video" });
});

it.each([
  ["/learn/algebra/elsewhere", "This lesson isn't on this device"],
  ["/learn/algebra", "Algebra"],
  ["/courses/", "This page needs a connection"],
  ["/me/practice", "No cards are on this device"],
])("explains what %s needs", async (path, title) => {
  await openShell(path);
  expect(words("h1")).toBe(title);
});

it("says that an expired lesson is to be renewed, and keeps a locked one closed", async () => {
  store.lessons[0]!.state = "expired";
  await openShell("/learn/algebra/video");
  expect(words("h1")).toBe("1.1 video has expired on this device");
  expect(words("main button")).toBe("Renew");

  store.lessons[0]!.state = "downloaded";
  store.packages.get("video")!.requires = ["elsewhere"];
  await openShell("/learn/algebra/video");
  expect(words("h1")).toBe("1.1 video isn't open yet");
  expect(words("main li")).toBe("1.1Far not on this device");
});

it("opens a lesson whose newer copy is still on its way", async () => {
  store.lessons[0]!.state = "held";
  await openShell("/learn/algebra/video");
  expect(words("h1")).toBe("Lesson");
});

it("opens a lesson after one that was completed elsewhere and isn't on this device", async () => {
  store.packages.get("video")!.requires = ["elsewhere"];
  store.completed.add("elsewhere");
  await openShell("/learn/algebra/video");
  expect(document.title).toBe("1.1 video | Study Platform");
  expect(words("[data-course-count]")).toContain("2");
});

it("offers to submit the open attempt of an expired lesson", async () => {
  store.lessons[0]!.state = "expired";
  const paper = { uid: "paper-1", questions: [], answers: {}, time_limit: 0 };
  const attempt = openAttempt(paper as unknown as LocalAttempt["paper"], T0, "change-1");
  await store.changeLocal("video", (known) => ({ ...known, attempt }));
  await openShell("/learn/algebra/video");
  expect(words("main .notice__title")).toBe("Your attempt here is still open");
});

it("reads a file that is saved by itself", async () => {
  await openShell("/learn/algebra/video");
  document.body.insertAdjacentHTML(
    "beforeend",
    `<a download="Survey.csv" href="/offline/media/video/survey.csv">Download</a>`,
  );
  fetch.mockResolvedValue(new Response("a,b"));
  const made = vi.fn(() => "blob:survey");
  class Addresses extends URL {
    static override createObjectURL = made;
    static override revokeObjectURL = vi.fn();
  }
  vi.stubGlobal("URL", Addresses);

  const link = document.querySelector<HTMLAnchorElement>("a[download]")!;
  const event = new MouseEvent("click", { bubbles: true, cancelable: true });
  link.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(true);
  await vi.waitFor(() => expect(made).toHaveBeenCalledOnce());
});

it("looks for a connection at once at the address that opens a stored lesson with one, too", async () => {
  const asked = (): number => fetch.mock.calls.filter(([one]) => one === "/healthz").length;
  await openShell("/learn/algebra/video");
  expect(asked()).toBe(0);
  await openShell("/offline?lesson=video");
  expect(asked()).toBe(1);
});

it("shows nothing of anybody without an account", async () => {
  await openShell("/learn/algebra/video", null);
  expect(words("h1")).toBe("Sign in when you're back online");
});

it("shows the list at its own address", async () => {
  await openShell("/offline");
  expect(document.querySelector<HTMLElement>("[data-offline-home]")!.hidden).toBe(false);
  expect(document.documentElement.dataset.offline).toBeUndefined();
});
