import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import type { WaitingChange } from "../../offline/types";
import { createStore, type FakeStore, MB, storableCourse, storableLesson, storedLesson } from "../../offline/testing/controls"; // prettier-ignore
import { AuthProvider } from "../../shared/auth/AuthProvider";
import { createQueryClient } from "../../shared/queryClient";
import { OfflineLibrary } from "./OfflineLibrary";

const api = vi.hoisted(() => ({
  fetchCourse: vi.fn(),
  fetchDevices: vi.fn(),
  removeDevice: vi.fn(),
}));
vi.mock("../../offline/controls/api", () => api);
const asking = vi.hoisted(() => ({ confirmFirst: vi.fn() }));
vi.mock("../../shared/confirming", () => asking);

const user = userEvent.setup({ delay: null });

beforeEach(() => {
  api.fetchDevices.mockResolvedValue([]);
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(true);
});

/** Show the page. Returns a function that takes it away. */
async function show(store: FakeStore): Promise<() => void> {
  const { unmount } = render(
    <AuthProvider>
      <QueryClientProvider client={createQueryClient()}>
        <OfflineLibrary days={30} store={store} />
      </QueryClientProvider>
    </AuthProvider>,
  );
  await waitFor(() => expect(document.querySelector("[aria-busy]")).toBeNull());
  return unmount;
}

const row = (title: string): HTMLElement => screen.getByText(title).closest("li")!;
const press = (name: string | RegExp): Promise<void> =>
  user.click(screen.getByRole("button", { name, hidden: true })); // hidden: four times as fast

it("lists what is stored by course, with its state, size and length", async () => {
  const geology = { ...storedLesson().course, slug: "geology", title: "Field Geology" };
  await show(
    createStore([
      storedLesson({ position: 402 }),
      storedLesson({ uid: "l5", number: "2.5", title: "By hand", state: "downloading", received: 48 * MB }), // prettier-ignore
      storedLesson({ uid: "g1", number: "1", title: "Walk", course: geology }),
    ]),
  );

  expect(screen.getByText("3 lessons, 39 min")).toBeTruthy();
  expect(screen.getAllByRole("heading", { level: 2 })[0]?.textContent).toBe("Linear Algebra");
  const current = row("2.4 Eigenvectors");
  expect(current.className).toBe("is-now");
  expect(within(current).getByRole("link").getAttribute("href")).toBe("/learn/algebra/eigenvectors"); // prettier-ignore
  expect(within(current).getByText(/720p, from 6:42, kept until/)).toBeTruthy();
  const coming = within(row("2.5 By hand"));
  expect(coming.queryByRole("link")).toBeNull();
  expect(coming.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("50");
  expect(screen.getByRole("heading", { name: "400 MB of 4 GB" })).toBeTruthy();
  expect(screen.getByText(/48 MB reserved for downloads\. Your browser allows this site 8.8 GB/)).toBeTruthy(); // prettier-ignore
});

it("pauses, resumes, cancels, tries again and renews", async () => {
  const store = createStore([
    storedLesson({ uid: "a", number: "1", title: "A", state: "downloading" }),
    storedLesson({ uid: "b", number: "2", title: "B", state: "paused" }),
    storedLesson({ uid: "c", number: "3", title: "C", state: "failed" }),
    storedLesson({ uid: "d", number: "4", title: "D", state: "waiting" }),
    storedLesson({ uid: "e", number: "5", title: "E", state: "expired", received: 0 }),
    storedLesson({ uid: "f", number: "6", title: "F", state: "ended" }),
  ]);
  await show(store);
  const account = await store.readAccount();

  await press("Pause the download of 1 A");
  await press("Resume the download of 2 B");
  await press("Try again to download 3 C");
  await press("Cancel the download of 4 D");
  expect(screen.getByText("Renew, 96 MB")).toBeTruthy();
  await press("Renew, 96 MB: 5 E");
  await press("Dismiss 6 F");

  expect(store.pauseLesson).toHaveBeenCalledWith(account, "a");
  expect(store.resumeLesson).toHaveBeenCalledWith(account, "b");
  expect(store.retryLesson).toHaveBeenCalledWith(account, "c");
  expect(store.cancelLesson).toHaveBeenCalledWith(account, "d");
  expect(store.renewLessons).toHaveBeenCalledWith(account, ["e"]);
  expect(store.removeLessons).toHaveBeenCalledWith(account, ["f"]);
});

it("asks before a lesson is removed, and removes nothing after a no", async () => {
  const store = createStore([storedLesson()]);
  await show(store);

  asking.confirmFirst.mockResolvedValueOnce(false).mockResolvedValueOnce(true);
  await press("Remove 2.4 Eigenvectors from this device");
  expect(asking.confirmFirst).toHaveBeenCalledWith({
    title: "Remove 2.4 Eigenvectors from this device?",
    text: "This frees 96 MB. Your progress and notes are kept.",
    confirm: "Remove",
  });
  expect(store.removeLessons).not.toHaveBeenCalled();

  await press("Remove 2.4 Eigenvectors from this device");
  expect(await screen.findByText("Nothing downloaded yet")).toBeTruthy();
});

it("clears expired and completed lessons first, and says what that frees", async () => {
  const store = createStore([
    storedLesson({ uid: "a", number: "1", title: "A" }),
    storedLesson({ uid: "b", number: "2", title: "B", isCompleted: true }),
    storedLesson({ uid: "c", number: "3", title: "C", state: "expired" }),
  ]);
  await show(store);

  await press("Free up space");
  const boxes = screen.getAllByRole<HTMLInputElement>("checkbox", { name: /\d [A-C]/ });
  expect(boxes.map((box) => box.checked)).toEqual([true, true, false]);
  await press("Remove 2 lessons, 192 MB");

  expect(store.removeLessons).toHaveBeenCalledWith(await store.readAccount(), ["c", "b"]);
  await waitFor(() => expect(screen.queryByText("2 B")).toBeNull());
});

it("folds finished lessons beyond the first two", async () => {
  const done = ["1", "2", "3", "4", "5"].map((number) =>
    storedLesson({ uid: number, number, title: "Done", isCompleted: true }),
  );
  await show(createStore([...done, storedLesson()]));

  expect(screen.getByText("3 more lessons, all completed")).toBeTruthy();
  expect(screen.queryByText("1 Done")).toBeNull();
  await press("Show all lessons of Linear Algebra");
  expect(screen.getByText("1 Done")).toBeTruthy();
});

it("offers the next ten lessons only with a connection, and what they take", async () => {
  const lessons = ["l4", "l5", "l6"].map((uid) => storableLesson({ uid }));
  api.fetchCourse.mockResolvedValue(storableCourse(lessons));
  const store = createStore([storedLesson()]);
  await show(store);

  await press("Download the next 10 lessons of Linear Algebra");
  const sheet = within(await screen.findByRole("dialog", { name: "Keep the next 2 lessons" }));
  await user.click(sheet.getByRole("button", { name: "Download 200 MB" }));
  const [, course, queued, quality] = vi.mocked(store.queueLessons).mock.calls[0] ?? [];
  expect([course?.slug, queued?.map(({ uid }) => uid), quality]).toEqual(["algebra", ["l5", "l6"], "720p"]); // prettier-ignore

  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  act(() => void dispatchEvent(new Event("offline")));
  expect(screen.queryByRole("button", { name: /next 10 lessons/ })).toBeNull();
});

it("shows what waits to be sent, and why something was refused until that is dismissed", async () => {
  const made = { id: "n", kind: "note", lesson: null, made_at: "2027-03-09T18:44:00Z" } as const;
  const refusal = { code: "NO", title: "", message: "You used your last attempt elsewhere." };
  let changes: WaitingChange[] = [
    { change: made, title: "2.4 Eigenvectors", refusal: null },
    { change: { ...made, id: "r", kind: "attempt" }, title: "2.6 Quiz", refusal },
  ];
  const store = createStore([storedLesson()], {
    listChanges: vi.fn(() => Promise.resolve(changes)),
    removeChange: vi.fn((_, id: string) => {
      changes = changes.filter(({ change }) => change.id !== id);
      return Promise.resolve();
    }),
  });
  await show(store);

  expect(screen.getByRole("heading", { name: "Waiting to be sent" })).toBeTruthy();
  expect(screen.getByText("1 note")).toBeTruthy();
  expect(screen.getByText("You used your last attempt elsewhere.")).toBeTruthy();
  await press("Dismiss 2.6 Quiz");
  await waitFor(() => expect(screen.queryByText("2.6 Quiz")).toBeNull());
  await press("Send now");
  expect(store.sendChanges).toHaveBeenCalled();
});

it("shows what was answered in an attempt that was refused until its answers are removed", async () => {
  const options = [
    { id: "a", html: "Normal" },
    { id: "b", html: "Reverse" },
  ];
  const ask = { kind: "single", options, left: [], right: [], gaps: [], unit: "" };
  let changes = [
    {
      change: {
        id: "r",
        kind: "attempt",
        lesson: "l6",
        made_at: "2027-03-09T18:44:00Z",
        attempt: { answers: { q1: { id: "b" } } },
      },
      title: "2.6 Quiz",
      asked: [
        { ...ask, uid: "q1", prompt_html: "What kind of fault?" },
        { ...ask, uid: "q2", prompt_html: "Which bed is older?" },
      ],
      refusal: { code: "NO", title: "", message: "You used your last attempt elsewhere." },
    },
  ] as unknown as WaitingChange[];
  const store = createStore([storedLesson()], {
    listChanges: vi.fn(() => Promise.resolve(changes)),
    removeChange: vi.fn(() => {
      changes = [];
      return Promise.resolve();
    }),
  });
  await show(store);

  await press("Your answers to 2.6 Quiz");
  const dialog = within(screen.getByRole("dialog", { name: "Your answers to 2.6 Quiz" }));
  expect(dialog.getByText("You used your last attempt elsewhere.")).toBeTruthy();
  const [first, second] = dialog.getAllByRole("listitem");
  expect(first?.textContent).toBe("What kind of fault?Reverse");
  expect(second?.textContent).toBe("Which bed is older?Not answered");
  asking.confirmFirst.mockResolvedValueOnce(false).mockResolvedValueOnce(true);
  await user.click(dialog.getByRole("button", { name: "Remove answers" }));
  expect(store.removeChange).not.toHaveBeenCalled();
  await user.click(dialog.getByRole("button", { name: "Remove answers" }));
  await waitFor(() => expect(screen.queryByText("2.6 Quiz")).toBeNull());
});

it("follows downloads in other tabs, and says aloud when one is complete", async () => {
  const store = createStore([storedLesson({ state: "downloading", received: 10 * MB })]);
  await show(store);

  store.lessons = [storedLesson()];
  act(() => store.change());
  expect(await screen.findByRole("link", { name: "2.4 Eigenvectors" })).toBeTruthy();
  expect(document.querySelector("[data-live=polite]")?.textContent).toBe("2.4 Eigenvectors is on this device"); // prettier-ignore
});

it("saves preferences and the limit", async () => {
  const store = createStore([storedLesson()]);
  await show(store);

  await user.selectOptions(screen.getByLabelText("Quality"), "audio");
  await user.click(screen.getByRole("switch", { name: "Remove lessons when finished" }));
  expect(screen.queryByRole("switch", { name: "Wi-Fi only" })).toBeNull(); // jsdom does not tell
  await press("Limit");
  const dialog = within(screen.getByRole("dialog", { name: "Space for lessons" }));
  await user.selectOptions(dialog.getByLabelText("Limit"), "8 GB");
  await user.click(dialog.getByRole("button", { name: "Save" }));

  const saved = vi.mocked(store.writePreferences).mock.calls.map(([one]) => one);
  expect(saved[0]?.quality).toBe("audio");
  expect(saved[1]?.removesFinished).toBe(true);
  expect(saved[2]?.limit).toBe(8 * 1024 * MB);
});

it("asks the browser once to keep the lessons", async () => {
  const store = createStore([storedLesson()], {
    readStorageUse: () => Promise.resolve({ own: MB, others: 0, granted: 0, isPersistent: false }),
  });
  const leave = await show(store);
  await press("Ask the browser to keep them");
  expect(store.askForPersistence).toHaveBeenCalledTimes(1);

  leave();
  await show(store);
  expect(screen.queryByRole("button", { name: /Ask the browser/ })).toBeNull();
  expect(screen.getByText(/Your browser may delete these lessons/)).toBeTruthy();
});

it("removes another device, and all that is here with this one", async () => {
  const contact = new Date().toISOString();
  const base = { created_at: contact, last_contact_at: contact };
  api.fetchDevices.mockResolvedValue([
    { uid: "d1", name: "Chrome on Linux", ...base },
    { uid: "d2", name: "Firefox on Android", ...base },
  ]);
  api.removeDevice.mockResolvedValue(undefined);
  const store = createStore([storedLesson()]);
  await show(store);

  asking.confirmFirst.mockResolvedValue(true);
  for (const name of ["Firefox on Android", "Chrome on Linux"])
    await user.click(await screen.findByRole("button", { name: `Remove ${name}` }));
  await waitFor(() => expect(store.removeDevice).toHaveBeenCalledWith("amara"));
  expect(api.removeDevice.mock.calls).toEqual([["d2"]]);
});

it("says how to download where nothing is there", async () => {
  const leave = await show(createStore([], { readAccount: () => Promise.resolve(null) }));
  expect(screen.getByText(/It will play here for 30 days/)).toBeTruthy();
  expect(screen.getByRole("link", { name: "Sign in" })).toBeTruthy();
  leave();

  const store = createStore();
  await show(store);
  expect(screen.queryByRole("link", { name: "Sign in" })).toBeNull();
  expect(screen.getByRole("link", { name: "My Learning" })).toBeTruthy();
  expect(store.openAccount).not.toHaveBeenCalled(); // it is open: loading the page again would not end
});

it("finds out who is signed in, and opens what is stored of them", async () => {
  const store = createStore([], {
    readAccount: () => Promise.resolve(null),
    findUser: () => Promise.resolve("ben"),
    countSignedOut: () => Promise.resolve({ lessons: 3, size: 210 * MB }),
  });
  await show(store);

  expect(screen.getByText("3 lessons of another account")).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Sign in" })).toBeNull();
  expect(store.openAccount).toHaveBeenCalledWith("ben");
});

it("opens nothing that is open, where its last lesson was removed", async () => {
  const store = createStore([], { findUser: () => Promise.resolve("amara") });
  await show(store);

  expect(screen.getByText("Nothing downloaded yet")).toBeTruthy();
  expect(store.openAccount).not.toHaveBeenCalled();
});

it("says why this browser can't store anything", async () => {
  const refusal = { code: "X", title: "Not in this browser", message: "It has no place." };
  await show(createStore([], { whyNotPossible: () => Promise.resolve(refusal) }));

  expect(screen.getByText("Not in this browser")).toBeTruthy();
});

it("names nobody of an account that is signed out, and can remove what it stores", async () => {
  asking.confirmFirst.mockResolvedValue(true);
  const store = createStore([], {
    readAccount: () => Promise.resolve(null),
    countSignedOut: () => Promise.resolve({ lessons: 3, size: 210 * MB }),
  });
  await show(store);

  expect(screen.getByText("3 lessons of an account that is signed out")).toBeTruthy();
  expect(screen.getByText("Sign in").getAttribute("href")).toBe("/auth/login?next=/offline");
  await press("Remove them");
  expect(store.removeSignedOut).toHaveBeenCalled();
});

it("says so where what is stored can't be read, and reads it again", async () => {
  const store = createStore([storedLesson()]);
  vi.mocked(store.listLessons).mockRejectedValueOnce(new Error("broken"));
  await show(store);

  expect(screen.getByRole("alert").textContent).toContain("can't be read");
  await press("Try again");
  expect(await screen.findByText("2.4 Eigenvectors")).toBeTruthy();
});
