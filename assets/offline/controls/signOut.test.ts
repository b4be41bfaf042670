import { screen, within } from "@testing-library/dom";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";

import { createStore, MB, storedLesson } from "../testing/controls";
import type { WaitingChange } from "../types";
import { prepareSignOut } from "./signOut";
import type { Store } from "./store";

vi.mock("./browserStore", () => ({ openStore: vi.fn() }));
const user = userEvent.setup({ delay: null });

const note: WaitingChange = {
  change: { id: "n", kind: "note", lesson: null, made_at: "2027-03-09T18:44:00Z" },
  title: "2.4",
  refusal: null,
};

/** A store with a lesson of 96 MB and these unsent changes, of which sending takes none. */
function storeWith(changes: WaitingChange[], changed: Partial<Store> = {}) {
  return createStore([storedLesson()], { listChanges: () => Promise.resolve(changes), ...changed });
}

const dialog = async () => within(await screen.findByRole("dialog"));

it("asks nobody who stores nothing here", async () => {
  expect(await prepareSignOut(createStore([], { readAccount: () => Promise.resolve(null) }))).toBe(true); // prettier-ignore
  const empty = createStore();
  expect(await prepareSignOut(empty)).toBe(true);
  expect(empty.removeDevice).toHaveBeenCalledWith("amara");
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("keeps lessons locked, which is the answer with the focus", async () => {
  const store = storeWith([]);
  const leaving = prepareSignOut(store);
  const asked = await dialog();

  expect(asked.getByText(/^1 lesson, 96 MB\. Lessons you keep are encrypted/)).toBeTruthy();
  expect(document.activeElement?.textContent).toBe("Keep and sign out");
  await user.keyboard("{Enter}");
  expect(await leaving).toBe(true);
  expect(store.lockAccount).toHaveBeenCalled();
  expect(store.removeDevice).not.toHaveBeenCalled();
});

it("removes lessons and the device", async () => {
  const store = storeWith([]);
  const leaving = prepareSignOut(store);
  await user.click((await dialog()).getByRole("button", { name: "Remove and sign out" }));

  expect(await leaving).toBe(true);
  expect(store.removeDevice).toHaveBeenCalledWith("amara");
  expect(store.lockAccount).not.toHaveBeenCalled();
});

it("stays signed in when the dialog is closed", async () => {
  const store = storeWith([]);
  const leaving = prepareSignOut(store);
  await user.click((await dialog()).getByRole("button", { name: "Cancel" }));

  expect(await leaving).toBe(false);
  expect(store.lockAccount).not.toHaveBeenCalled();
});

it("sends first what waits, and says what could not be sent", async () => {
  const store = storeWith([note], { sendChanges: vi.fn(() => Promise.reject(new Error("down"))) });
  const leaving = prepareSignOut(store);
  const asked = await dialog();

  expect(store.sendChanges).toHaveBeenCalled();
  expect(asked.getByText(/^1 change hasn't been sent yet/)).toBeTruthy();
  await user.click(asked.getByRole("button", { name: "Keep and sign out" }));
  expect(await leaving).toBe(true);
});

it("asks only about changes where no lesson is left", async () => {
  const store = createStore([storedLesson({ state: "ended", received: 9 * MB })], {
    listChanges: () => Promise.resolve([note]),
  });
  void prepareSignOut(store);

  expect((await dialog()).getByRole("heading").textContent).toBe("Keep your unsent changes?");
});

it("asks about an open attempt, also where no lesson is left", async () => {
  const store = createStore([], { countLeft: () => Promise.resolve({ attempts: 1, changes: 0 }) });
  const leaving = prepareSignOut(store);
  const asked = await dialog();

  expect(asked.getByText(/^1 quiz attempt is still open here/)).toBeTruthy();
  await user.click(asked.getByRole("button", { name: "Keep and sign out" }));
  expect(await leaving).toBe(true);
  expect(store.removeDevice).not.toHaveBeenCalled();
});

it("makes changes of what pages have left before it counts", async () => {
  const left = { attempts: 0, changes: 1 };
  const settleChanges = vi.fn(() => {
    left.changes = 0;
    return Promise.resolve();
  });
  const settled = createStore([], { settleChanges, countLeft: () => Promise.resolve(left) });
  expect(await prepareSignOut(settled)).toBe(true);
  expect(settled.removeDevice).toHaveBeenCalled();

  left.changes = 1;
  settleChanges.mockRejectedValue(new Error("full"));
  void prepareSignOut(settled);
  expect((await dialog()).getByText(/^1 change hasn't been sent yet/)).toBeTruthy();
});
