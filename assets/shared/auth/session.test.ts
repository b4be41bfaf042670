import { expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../testing/listeners";
import { tokenFor, tokenOf } from "../testing/tokens";
import {
  type Credentials,
  LOGOUT_EVENT,
  NotAuthenticated,
  Session,
  type SessionDependencies,
  type SessionUser,
  STORAGE_KEY,
} from "./session";

const ada: SessionUser = { id: "ada", username: "ada", email: "ada@example.com", role: "student" };
const leo: SessionUser = { id: "leo", username: "leo", email: "leo@example.com", role: "admin" };

forgetListenersAfterEach();

function make(dependencies: Partial<SessionDependencies> = {}): Session {
  return new Session({
    storage: localStorage,
    fetchSession: () => Promise.resolve(null),
    endSession: () => Promise.resolve(),
    renderedFor: null,
    exclusively: (work) => work(),
    ...dependencies,
  });
}

const store = (value: unknown): void => localStorage.setItem(STORAGE_KEY, JSON.stringify(value));
const stored = (): unknown => JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "null");

function otherTabStores(value: unknown): void {
  const text = value === null ? null : JSON.stringify(value);
  if (text === null) localStorage.removeItem(STORAGE_KEY);
  else localStorage.setItem(STORAGE_KEY, text);
  dispatchEvent(new StorageEvent("storage", { key: STORAGE_KEY, newValue: text }));
}

it("starts loading, then uses the stored session", async () => {
  const token = tokenFor(61);
  store({ user: ada, token });
  const session = make();
  expect(session.state).toEqual({ isLoading: true, user: null, token: null });

  await session.start();

  expect(session.state).toEqual({ isLoading: false, user: ada, token });
  expect(session.isAuthenticated).toBe(true);
});

it.each([
  ["expires within the minute", { user: ada, token: tokenFor(59) }],
  ["has expired", { user: ada, token: tokenFor(-5) }],
  ["has no valid token", { user: ada, token: "no.token" }],
  ["has no token", { user: ada }],
  ["has no user", { token: tokenFor(600) }],
  ["has null for a user", { user: null, token: tokenFor(600) }],
  ["is a word", "hello"],
  ["is null", null],
])("removes a stored session that %s", async (_, value) => {
  store(value);
  const session = make();

  await session.start();

  expect(session.state).toEqual({ isLoading: false, user: null, token: null });
  expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
});

it("removes what is not JSON", async () => {
  localStorage.setItem(STORAGE_KEY, "{torn");
  const session = make();

  await session.start();

  expect(session.state.user).toBeNull();
  expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
});

it("keeps a stored token without an expiry", async () => {
  store({ user: ada, token: tokenOf({ sub: "ada" }) });
  const session = make({ renderedFor: "ada" });

  await session.start();

  expect(session.isAuthenticated).toBe(true);
});

it("logs in: stores user and token, and shows them", async () => {
  const session = make();
  await session.start();
  const token = tokenFor(600);

  session.login(ada, token);

  expect(stored()).toEqual({ user: ada, token });
  expect(session.state).toEqual({ isLoading: false, user: ada, token });
});

it("logs out: clears, broadcasts and tells the server", async () => {
  const endSession = vi.fn(() => Promise.resolve());
  const session = make({ endSession });
  await session.start();
  session.login(ada, tokenFor(600));
  const heard = vi.fn();
  addEventListener(LOGOUT_EVENT, heard);

  await session.logout();

  expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
  expect(session.state.user).toBeNull();
  expect(heard).toHaveBeenCalledOnce();
  expect(endSession).toHaveBeenCalledOnce();
});

it("clears on a logout event", async () => {
  const endSession = vi.fn(() => Promise.resolve());
  const session = make({ endSession });
  await session.start();
  session.login(ada, tokenFor(600));

  dispatchEvent(new Event(LOGOUT_EVENT));

  expect(session.state).toEqual({ isLoading: false, user: null, token: null });
  expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
  expect(endSession).not.toHaveBeenCalled();
});

it("adopts a valid session from another tab", async () => {
  const session = make();
  await session.start();
  const told = vi.fn();
  session.subscribe(told);
  const token = tokenFor(600);

  otherTabStores({ user: leo, token });

  expect(session.state).toEqual({ isLoading: false, user: leo, token });
  expect(told).toHaveBeenCalledOnce();
});

it.each([
  ["removes the session", null],
  ["stores an expired one", { user: leo, token: tokenFor(-1) }],
])("signs out when another tab %s", async (_, value) => {
  store({ user: ada, token: tokenFor(600) });
  const session = make();
  await session.start();

  otherTabStores(value);

  expect(session.state.user).toBeNull();
});

it("signs out when another tab clears the whole storage", async () => {
  store({ user: ada, token: tokenFor(600) });
  const session = make();
  await session.start();

  dispatchEvent(new StorageEvent("storage", { key: null, newValue: null }));

  expect(session.state.user).toBeNull();
});

it("does not listen to other keys", async () => {
  store({ user: ada, token: tokenFor(600) });
  const session = make();
  await session.start();

  dispatchEvent(new StorageEvent("storage", { key: "study.theme", newValue: null }));

  expect(session.state.user).toEqual(ada);
});

it("logs out when a check finds the token expired", async () => {
  vi.useFakeTimers();
  const session = make();
  await session.start();
  session.login(ada, tokenFor(90));
  const heard = vi.fn();
  addEventListener(LOGOUT_EVENT, heard);

  await expect(session.checkAuth()).resolves.toBe(true);
  vi.advanceTimersByTime(30_000);
  await expect(session.checkAuth()).resolves.toBe(false);

  expect(heard).toHaveBeenCalled();
  expect(session.state.user).toBeNull();
  expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
});

it("fetches the session when the page was rendered for a signed-in user", async () => {
  const fresh = { user: ada, token: tokenFor(600) };
  const session = make({ renderedFor: "ada", fetchSession: () => Promise.resolve(fresh) });

  const starting = session.start();
  expect(session.state.isLoading).toBe(true);
  await starting;

  expect(stored()).toEqual(fresh);
  expect(session.state.user).toEqual(ada);
});

it("replaces the session of another user than the page was rendered for", async () => {
  store({ user: leo, token: tokenFor(600) });
  const fresh = { user: ada, token: tokenFor(600) };
  const session = make({ renderedFor: "ada", fetchSession: () => Promise.resolve(fresh) });

  await session.start();

  expect(session.state.user).toEqual(ada);
});

it("drops the stored session on a page rendered for a visitor, without asking", async () => {
  store({ user: ada, token: tokenFor(600) });
  const fetchSession = vi.fn(() => Promise.resolve(null));
  const session = make({ renderedFor: "", fetchSession });

  await session.start();

  expect(session.state.user).toBeNull();
  expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
  expect(fetchSession).not.toHaveBeenCalled();
});

it("is signed out, not stuck loading, when the server cannot be reached", async () => {
  const session = make({
    renderedFor: "ada",
    fetchSession: () => Promise.reject(new Error("off")),
  });

  await session.start();

  expect(session.state).toEqual({ isLoading: false, user: null, token: null });
});

it("renews once for simultaneous callers", async () => {
  vi.useFakeTimers();
  const token = tokenFor(3600);
  let answer: (fresh: Credentials) => void = () => undefined;
  const fetchSession = vi.fn(() => new Promise<Credentials>((resolve) => (answer = resolve)));
  const session = make({ renderedFor: "ada", fetchSession });
  session.login(ada, tokenFor(90));
  vi.advanceTimersByTime(31_000);

  const calls = [session.bearer(), session.bearer(), session.requireBearer()];
  await Promise.resolve();
  answer({ user: ada, token });

  await expect(Promise.all(calls)).resolves.toEqual([token, token, token]);
  expect(fetchSession).toHaveBeenCalledOnce();
});

it("can renew after a renewal has failed", async () => {
  const fresh = { user: ada, token: tokenFor(600) };
  const fetchSession = vi
    .fn<() => Promise<Credentials | null>>()
    .mockRejectedValueOnce(new Error("off"))
    .mockResolvedValueOnce(fresh);
  const session = make({ renderedFor: "ada", fetchSession });

  await expect(session.renew()).rejects.toThrow("off");
  await expect(session.renew()).resolves.toBe(true);
});

it("takes a token that another tab has renewed", async () => {
  const theirs = { user: ada, token: tokenFor(900) };
  const fetchSession = vi.fn(() => Promise.resolve(null));
  const session = make({
    renderedFor: "ada",
    fetchSession,
    exclusively: (work) => {
      store(theirs);
      return work();
    },
  });

  await expect(session.bearer()).resolves.toBe(theirs.token);
  expect(fetchSession).not.toHaveBeenCalled();
});

it("does not take back the very token that the server refused", async () => {
  const refused = tokenFor(600);
  store({ user: ada, token: refused });
  const session = make({ renderedFor: "ada", fetchSession: () => Promise.resolve(null) });
  await session.start();

  await expect(session.renew(refused)).resolves.toBe(false);

  expect(session.state.user).toBeNull();
  expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
});

it("has no token for a visitor, and says so when one is needed", async () => {
  const session = make({ renderedFor: "" });
  await session.start();

  await expect(session.bearer()).resolves.toBeNull();
  await expect(session.requireBearer()).rejects.toThrow(NotAuthenticated);
  await expect(session.requireBearer()).rejects.toThrow("User is not authenticated");
});

it("works without storage", async () => {
  const session = make({ storage: null });
  await session.start();

  session.login(ada, tokenFor(600));

  expect(session.isAuthenticated).toBe(true);
});

it("works while storage is blocked", async () => {
  const full = {
    getItem: () => null,
    removeItem: () => undefined,
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  const session = make({ storage: full });
  await session.start();

  session.login(ada, tokenFor(600));

  expect(session.isAuthenticated).toBe(true);
});

it("shows an assumed user without a token, until somebody signs out", async () => {
  const session = make();
  await session.start();
  session.assume(ada);
  expect(session.state.user).toEqual(ada);
  expect(await session.requireBearer()).toBe("");

  otherTabStores({ user: leo, token: tokenFor(600) });
  expect(session.state.user).toEqual(ada);

  session.clear();
  expect(session.state.user).toBeNull();
  await expect(session.requireBearer()).rejects.toThrow(NotAuthenticated);
});
