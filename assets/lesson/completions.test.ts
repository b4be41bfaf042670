import { beforeEach, expect, it, vi } from "vitest";

import { session } from "../shared/auth/browser";
import { completeAs } from "./completions";
import { Outbox } from "./outbox";

const fetch = vi.fn<(request: Request) => Promise<Response>>(() =>
  Promise.resolve(Response.json({ completed: true })),
);

beforeEach(() => {
  fetch.mockClear();
  vi.stubGlobal("fetch", fetch);
});

function signIn(id: string): void {
  const body = btoa(JSON.stringify({ exp: Date.now() / 1000 + 600 }));
  session.login({ id, username: id, email: `${id}@example.org`, role: "student" }, `x.${body}.x`);
}

it("sends a completion as the user who made it only", async () => {
  signIn("amara");
  await completeAs("amara", "lesson-1");
  expect(fetch).toHaveBeenCalledOnce();

  signIn("benno");
  await expect(completeAs("amara", "lesson-1")).rejects.toThrow();
  expect(fetch).toHaveBeenCalledOnce();
});

it("keeps completions while nobody is signed in", async () => {
  session.clear();
  const tell = vi.fn();
  const outbox = new Outbox(
    () => localStorage,
    "amara",
    (uid) => completeAs("amara", uid),
    tell,
  );
  outbox.add("lesson-1", "Grids");
  await outbox.send();

  expect(outbox.all()).toEqual({ "lesson-1": "Grids" });
  expect(tell).not.toHaveBeenCalled();
});
