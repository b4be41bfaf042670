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

it("applies the appearance chosen on another device", () => {
  startAccountAppearance(
    sessionOf({ ...leo, theme: "dark", style: "corporate" }),
    vi.fn(() => Promise.resolve()),
  );
  expect(readAppearance()).toEqual({ theme: "dark", style: "corporate" });
});

it("keeps the choice of this browser for an account without one", () => {
  localStorage.setItem("study.theme", "dark");
  startAccountAppearance(
    sessionOf({ ...leo, theme: "", style: "" }),
    vi.fn(() => Promise.resolve()),
  );
  expect(readAppearance().theme).toBe("dark");
});

it("returns to the theme of the device when that was chosen elsewhere", () => {
  const session = sessionOf({ ...leo, theme: "dark", style: "academic" });
  startAccountAppearance(
    session,
    vi.fn(() => Promise.resolve()),
  );
  session.become({ ...leo, theme: "", style: "academic" });
  expect(readAppearance().theme).toBe("light");
});

it("saves a choice, which an older value of the account does not undo", async () => {
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

it("says that the choice applies to this browser only if saving fails", async () => {
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
