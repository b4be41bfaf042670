import { beforeEach, expect, it, vi } from "vitest";
import type { Session, SessionUser } from "../shared/auth/session";
import { startAccountAppearance } from "./accountAppearance";
import { APPEARANCE_CHOSEN, readAppearance } from "../shared/appearance";

const leo: SessionUser = { id: "1", username: "leo", email: "leo@example.com", role: "student" };

function sessionOf(user: SessionUser): Session & { become: (user: SessionUser) => void } {
  const listeners: (() => void)[] = [];
  const one = {
    state: { isLoading: false, user, token: "t" },
    subscribe: (listener: () => void) => listeners.push(listener),
    login: (changed: SessionUser) => (one.state = { ...one.state, user: changed }),
    become: (changed: SessionUser) => {
      one.state = { ...one.state, user: changed };
      for (const listener of listeners) listener();
    },
  };
  return one as unknown as Session & { become: (user: SessionUser) => void };
}

beforeEach(() => {
  localStorage.clear();
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener: vi.fn() }));
});

it("takes over what the account chose on another device", () => {
  startAccountAppearance(
    sessionOf({ ...leo, theme: "dark", style: "corporate" }),
    vi.fn(() => Promise.resolve()),
  );
  expect(readAppearance()).toEqual({ theme: "dark", style: "corporate" });
});

it("leaves this browser's choice to an account that never chose", () => {
  localStorage.setItem("study.theme", "dark");
  startAccountAppearance(
    sessionOf({ ...leo, theme: "", style: "" }),
    vi.fn(() => Promise.resolve()),
  );
  expect(readAppearance().theme).toBe("dark");
});

it("goes back to the device's own when that was chosen elsewhere", () => {
  const session = sessionOf({ ...leo, theme: "dark", style: "academic" });
  startAccountAppearance(
    session,
    vi.fn(() => Promise.resolve()),
  );
  session.become({ ...leo, theme: "", style: "academic" });
  expect(readAppearance().theme).toBe("light");
});

it("sends a choice made here and is not undone by the older word of the account", async () => {
  const session = sessionOf({ ...leo, theme: "light", style: "academic" });
  const save = vi.fn(() => Promise.resolve());
  startAccountAppearance(session, save);
  localStorage.setItem("study.theme", "dark");
  dispatchEvent(new Event(APPEARANCE_CHOSEN));
  await vi.waitFor(() => expect(session.state.user?.theme).toBe("dark"));
  expect(save).toHaveBeenCalledWith({ theme: "dark", style: "academic" });
  localStorage.removeItem("study.theme");
  dispatchEvent(new Event(APPEARANCE_CHOSEN));
  expect(save).toHaveBeenLastCalledWith({ theme: "", style: "academic" });
  localStorage.setItem("study.theme", "dark");
  session.become({ ...leo, theme: "dark", style: "academic" });
  expect(readAppearance().theme).toBe("dark");
});

it("says that a look is kept in this browser only when the account could not take it", async () => {
  const session = sessionOf({ ...leo, theme: "light", style: "academic" });
  startAccountAppearance(
    session,
    vi.fn(() => Promise.reject(new Error("500"))),
  );
  localStorage.setItem("study.theme", "dark");
  dispatchEvent(new Event(APPEARANCE_CHOSEN));
  await vi.waitFor(() => expect(document.querySelector(".toast p")).not.toBeNull());

  expect(document.querySelector(".toast p")!.textContent).toBe(
    "This look applies in this browser only. It couldn't be saved to your account.",
  );
  expect(readAppearance().theme).toBe("dark");
  expect(session.state.user?.theme).toBe("light");
});
