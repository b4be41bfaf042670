import { beforeEach, expect, it, vi } from "vitest";

import { session } from "../../shared/auth/browser";
import { nothing } from "../keptReport";
import { followLinks } from "./followLinks";
import { leave, reconnect } from "./reconnect";
import { forgetLocks, MemoryStore } from "./testing";

const attempt = { id: "c1", kind: "attempt" as const, lesson: "quiz", made_at: "" };

let store: MemoryStore;
const notice = { tell: vi.fn(), offer: vi.fn(), hide: vi.fn() };
const onLost = vi.fn();
const reload = vi.fn();
const answer = (body: unknown, status = 200): Promise<Response> =>
  Promise.resolve(new Response(JSON.stringify(body), { status }));

beforeEach(() => {
  vi.clearAllMocks();
  forgetLocks();
  session.clear();
  sessionStorage.clear();
  document.body.innerHTML = "";
  store = new MemoryStore();
  vi.stubGlobal("fetch", () =>
    answer({ user: { id: "amara-id", username: "Amara", email: "", role: "student" }, token: "t" }),
  );
});

const context = (facts = {}) => ({
  ...{ store, onLost, reload, works: true, isReplaceable: true },
  notice: notice as never,
  takeSynced: () => nothing,
  showReport: vi.fn(),
  ...facts,
});

it("sends what was done since before it loads the current page", async () => {
  document.body.innerHTML = "<p data-open-attempt></p>";
  await reconnect(context());
  expect(reload).not.toHaveBeenCalled();
  const [, label, press] = notice.offer.mock.calls[0] as [string, string, () => void];
  expect(label).toBe("Load the current page");

  await store.addChange(attempt, "The quiz");
  press();
  await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
  expect(notice.tell).toHaveBeenCalledWith("Sending what you did without a connection");
  expect(store.changes).toEqual([]);
});

it("stays where nothing can be sent", async () => {
  await store.addChange(attempt, "The quiz");
  store.sendChanges = () => Promise.resolve({ ...nothing, waiting: 1, isLost: true });
  expect(await leave(context(), reload)).toBe(false);
  expect(onLost).toHaveBeenCalledOnce();
  expect(reload).not.toHaveBeenCalled();
});

it("goes on where the server wants something later", async () => {
  await store.addChange(attempt, "The quiz");
  store.sendChanges = () => Promise.resolve({ ...nothing, waiting: 1 });
  expect(await leave(context(), reload)).toBe(true);
});

it("sends changes that were made while others were sent", async () => {
  await store.addChange(attempt, "The quiz");
  const send = store.sendChanges;
  store.sendChanges = async () => {
    const report = await send();
    if (store.sent === 1) await store.addChange({ ...attempt, id: "c2" }, "The quiz");
    return report;
  };
  await leave(context(), reload);
  expect(store.sent).toBe(2);
  expect(store.changes).toEqual([]);
});

it("loads a page that wasn't here, also for a visitor", async () => {
  vi.stubGlobal("fetch", () => answer({}, 401));
  await reconnect(context({ works: false }));
  expect(reload).toHaveBeenCalledOnce();

  await reconnect(context());
  expect(reload).toHaveBeenCalledOnce();
  expect(notice.offer.mock.lastCall?.[1]).toBe("Sign in");
});

it("follows links of this tab to other pages after that, and no others", () => {
  document.body.innerHTML = `<a href="/me/dashboard">A</a><a href="#here">B</a>
    <a href="/x" download>C</a><a href="/x" target="_blank">D</a><a href="https://example.org/">E</a>`;
  let isOnline = true;
  const onLeave = vi.fn(() => Promise.resolve(true));
  followLinks(() => isOnline, onLeave);
  const press = (link: Element, init: MouseEventInit = {}): boolean => {
    const event = new MouseEvent("click", { bubbles: true, cancelable: true, ...init });
    link.dispatchEvent(event);
    return event.defaultPrevented;
  };
  const links = [...document.querySelectorAll("a")];
  expect(links.map((link) => press(link))).toEqual([true, false, false, false, false]);
  expect(press(links[0]!, { ctrlKey: true })).toBe(false);
  isOnline = false;
  expect(press(links[0]!)).toBe(false);
  expect(onLeave).toHaveBeenCalledOnce();
});
