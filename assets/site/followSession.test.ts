import { beforeEach, expect, it, vi } from "vitest";

import { type Credentials, Session, type SessionUser, STORAGE_KEY } from "../shared/auth/session";
import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { tokenFor } from "../shared/testing/tokens";
import { followSession } from "./followSession";

const ada: SessionUser = { id: "ada", username: "ada", email: "ada@example.com", role: "student" };
const leo: SessionUser = { ...ada, id: "leo", username: "leo" };

let fromServer: Credentials | null;
let typed: boolean;
const reload = vi.fn();

forgetListenersAfterEach();

beforeEach(() => {
  vi.useFakeTimers();
  fromServer = null;
  typed = false;
});
async function open(renderedFor: string, stored?: Credentials): Promise<Session> {
  if (stored) localStorage.setItem(STORAGE_KEY, JSON.stringify(stored));
  const session = new Session({
    storage: localStorage,
    fetchSession: () => Promise.resolve(fromServer),
    endSession: () => Promise.resolve(),
    renderedFor,
    exclusively: (work) => work(),
  });
  followSession({ session, renderedFor, hasUnsentInput: () => typed, reload });
  await vi.advanceTimersByTimeAsync(0);
  return session;
}

function otherTabStores(value: Credentials | null): void {
  const text = value && JSON.stringify(value);
  if (text) localStorage.setItem(STORAGE_KEY, text);
  else localStorage.removeItem(STORAGE_KEY);
  dispatchEvent(new StorageEvent("storage", { key: STORAGE_KEY, newValue: text }));
}

it("reloads after a sign-out in another tab", async () => {
  await open("ada", { user: ada, token: tokenFor(600) });
  otherTabStores(null);
  expect(reload).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1000);

  expect(reload).toHaveBeenCalledOnce();
});

it("does nothing visible when only the token was missing", async () => {
  const session = await open("ada", { user: ada, token: tokenFor(600) });
  fromServer = { user: ada, token: tokenFor(900) };
  otherTabStores(null);
  await vi.advanceTimersByTimeAsync(1000);

  expect(reload).not.toHaveBeenCalled();
  expect(session.state.token).toBe(fromServer.token);
});

it("keeps typed text and offers once to sign in again", async () => {
  await open("ada", { user: ada, token: tokenFor(600) });
  typed = true;
  otherTabStores(null);
  await vi.advanceTimersByTimeAsync(1000);
  otherTabStores(null);
  await vi.advanceTimersByTimeAsync(1000);

  expect(reload).not.toHaveBeenCalled();
  expect(document.querySelectorAll(".toast")).toHaveLength(1);
  document.querySelector<HTMLElement>(".toast .btn")!.click();
  expect(reload).toHaveBeenCalledOnce();
});

it("reloads when another user has signed in", async () => {
  await open("ada", { user: ada, token: tokenFor(600) });
  otherTabStores({ user: leo, token: tokenFor(600) });

  expect(reload).toHaveBeenCalledOnce();
});

it("reloads when a visitor has signed in in another tab", async () => {
  await open("");
  expect(reload).not.toHaveBeenCalled();
  otherTabStores({ user: ada, token: tokenFor(600) });

  expect(reload).toHaveBeenCalledOnce();
});

it("tells a visitor who is typing that they are signed in now", async () => {
  await open("");
  typed = true;
  otherTabStores({ user: ada, token: tokenFor(600) });

  expect(reload).not.toHaveBeenCalled();
  expect(document.querySelector(".toast")!.textContent).toContain("You're now signed in.");
});

it("ignores a token renewed in another tab", async () => {
  await open("ada", { user: ada, token: tokenFor(600) });
  otherTabStores({ user: ada, token: tokenFor(900) });
  await vi.advanceTimersByTimeAsync(5000);

  expect(reload).not.toHaveBeenCalled();
});

it("ends the session when the sign-out form is sent, without preventing it", async () => {
  const session = await open("ada", { user: ada, token: tokenFor(600) });
  document.body.innerHTML = '<form method="post" data-sign-out></form>';
  document.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true }));
  await vi.advanceTimersByTimeAsync(5000);

  expect(localStorage.getItem(STORAGE_KEY)).toBeNull();
  expect(session.state.user).toBeNull();
  expect(reload).not.toHaveBeenCalled();
});

it("notices a sign-out that happened while the page was in the back/forward cache", async () => {
  await open("ada", { user: ada, token: tokenFor(600) });
  localStorage.removeItem(STORAGE_KEY);
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
  await vi.advanceTimersByTimeAsync(1000);

  expect(reload).toHaveBeenCalledOnce();
});

it.each([
  ["the same person", "ada", ada, "new"],
  ["a visitor's form", "", null, "new"],
  ["somebody else", "ada", leo, "old"],
  ["nobody", "ada", null, "old"],
])(
  "gives a form the CSRF token of the current session of the same user only: %s",
  async (_, rendered, now, token) => {
    document.body.innerHTML = `<form><input name="csrfmiddlewaretoken" value="old"></form>`;
    document.cookie = "csrftoken=new";
    typed = true;
    await open(rendered, rendered ? { user: ada, token: tokenFor(600) } : undefined);
    if (rendered) otherTabStores(now && { user: now, token: tokenFor(900) });

    document.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true }));

    expect(document.querySelector("input")!.value).toBe(token);
  },
);
