import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { session } from "../../shared/auth/browser";
import { createQueryClient } from "../../shared/queryClient";
import { tokenFor } from "../../shared/testing/tokens";
import { FakeTransport } from "../../shared/uploads/testing";
import { Library } from "./Library";
import { placeOf } from "./place";
import { FakeLibrary, fileOf, folderOf } from "./testing";

let server: FakeLibrary;
let transport: FakeTransport;

class NoObserver {
  observe = vi.fn();
  unobserve = vi.fn();
  disconnect = vi.fn();
}

beforeEach(() => {
  vi.stubGlobal("ResizeObserver", NoObserver);
  vi.stubGlobal("scrollTo", vi.fn());
  Element.prototype.scrollIntoView = vi.fn();
  // jsdom has no layout: each row is as high as in a browser.
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(65);
  server = new FakeLibrary();
  transport = new FakeTransport();
  vi.stubGlobal("fetch", server.fetch);
  const user = { id: "ada", username: "ada", email: "ada@example.com", role: "student" as const };
  session.login(user, tokenFor(900));
  history.replaceState(null, "", "/files/");
  document.title = "Files | Study Platform";
  document.body.innerHTML = "<h1 data-files-title>Files</h1><div data-files-actions>Old</div>";
  server.addFolder(folderOf("walks", "Walks", 1));
  server.addFolder(folderOf("deep", "Deep"), "walks");
  server.add(fileOf("a", { size: 2048 }));
  server.add(fileOf("b"));
  server.add(fileOf("c"));
  server.add(fileOf("walk"), "walks");
});

async function open(): Promise<void> {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Library first={null} firstPlace={placeOf("")} limit={100} transportFor={() => transport} />
    </QueryClientProvider>,
  );
  await screen.findByRole("link", { name: /^a\.txt/ }, { timeout: 3000 });
}

const row = (name: string): HTMLElement =>
  screen.getByRole("link", { name: new RegExp(`^${name}`) }).closest<HTMLElement>("[data-entry]")!;
const box = (name: string): HTMLElement => screen.getByRole("checkbox", { name: `Select ${name}` });
const bar = () => within(screen.getByRole("group", { name: "Selected items" }));
const isListed = (name: string): boolean =>
  screen.queryByRole("link", { name: new RegExp(`^${name}`) }) !== null;
const heading = () => document.querySelector("[data-files-title]");
const lastCall = (start: string): string => server.calls.findLast((one) => one.startsWith(start))!;

it("opens a folder with its address, title and focus, and the browser goes back", async () => {
  await open();
  expect(document.querySelector("[data-files-actions]")!.textContent).toBe("New folderUpload");
  await userEvent.click(screen.getByRole("link", { name: "Walks" }));

  expect(await screen.findByRole("link", { name: /^walk\.txt/ })).toBeDefined();
  expect(location.search).toBe("?folder=walks");
  expect(document.title).toBe("Walks | Study Platform");
  await waitFor(() => expect(document.activeElement).toBe(heading()));
  expect(heading()!.textContent).toBe("Walks");
  expect(screen.getByRole("link", { name: "My files" })).toBeDefined();

  act(() => history.back());
  expect(await screen.findByRole("link", { name: /^a\.txt/ })).toBeDefined();
  expect(document.title).toBe("Files | Study Platform");
});

it("selects by checkbox, by range and everything, and says how much", async () => {
  await open();
  await userEvent.click(box("a.txt"));
  expect(bar().getByText("1 selected")).toBeDefined();
  expect(bar().getByText("2 KB")).toBeDefined();
  const user = userEvent.setup();
  await user.keyboard("{Shift>}");
  await user.click(box("c.txt"));
  await user.keyboard("{/Shift}");
  expect(bar().getByText("3 selected")).toBeDefined();
  expect(row("b.txt").ariaSelected).toBe("true");

  row("a.txt").focus();
  await userEvent.keyboard("{Control>}a{/Control}");
  expect(await bar().findByText("4 selected")).toBeDefined();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("group", { name: "Selected items" })).toBeNull();
});

it("moves the focus with the arrow keys and opens with Enter", async () => {
  await open();
  row("a.txt").focus();
  await userEvent.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(row("b.txt"));
  await userEvent.keyboard("{ArrowUp}{ArrowUp}");
  expect(document.activeElement).toBe(row("Walks"));
  await userEvent.keyboard("{Enter}");
  await screen.findByRole("link", { name: /^walk\.txt/ });
  // By keyboard the focus stays in the list.
  await waitFor(() => expect(document.activeElement).toBe(row("Deep")));
});

it("renames where the name stands, and takes it back when the server refuses", async () => {
  await open();
  server.held = [];
  row("a.txt").focus();
  await userEvent.keyboard("{F2}");
  const field = screen.getByRole<HTMLInputElement>("textbox", { name: "New name of a.txt" });
  expect(field.value.slice(field.selectionStart!, field.selectionEnd!)).toBe("a");
  await userEvent.type(field, "notes{Enter}", { initialSelectionStart: 0, initialSelectionEnd: 1 });

  expect(isListed("notes.txt")).toBe(true);
  expect(document.activeElement).toBe(row("notes.txt"));
  await waitFor(() => expect(server.held).toHaveLength(1));
  server.refusals.set("PATCH", "Taken.");
  act(() => server.held?.forEach((end) => end()));
  expect(await screen.findByText("Not renamed. Taken.")).toBeDefined();
  expect(isListed("a.txt")).toBe(true);
  expect(isListed("notes.txt")).toBe(false);
});

it("moves to the bin at once and undoes it", async () => {
  await open();
  row("b.txt").focus();
  await userEvent.keyboard("{Delete}");
  await waitFor(() => expect(isListed("b.txt")).toBe(false));
  expect(document.activeElement).toBe(row("c.txt"));

  await userEvent.click(await screen.findByRole("button", { name: "Undo" }));
  await waitFor(() => expect(isListed("b.txt")).toBe(true));
  expect(lastCall("POST")).toContain('"action":"restore","files":["b"]');
});

it("puts entries back when the bin refuses them", async () => {
  server.refusals.set("POST /api/v1/files/actions/", "Busy.");
  await open();
  await userEvent.click(box("b.txt"));
  await userEvent.click(bar().getByRole("button", { name: "Move to bin" }));

  expect(await screen.findByText("Not moved to the bin. Busy.")).toBeDefined();
  expect(isListed("b.txt")).toBe(true);
});

it("says on a folder how it is shared", async () => {
  server.addFolder({
    ...folderOf("open", "Open", 2),
    sharing: { kind: "link", label: "Link, 3 days left" },
  });
  await open();
  screen.getByText(/^2 files, Link, 3 days left$/);
  screen.getByText(/^1 file$/);
});

it("moves a selection into a folder that is chosen in a tree", async () => {
  await open();
  await userEvent.click(box("a.txt"));
  await userEvent.click(box("b.txt"));
  await userEvent.click(bar().getByRole("button", { name: "Move" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Move 2 items" }));
  const top = await dialog.findByRole("treeitem", { name: /My files/ });
  expect(top.ariaDisabled).toBe("true");
  expect(dialog.queryByRole("treeitem", { name: "Deep" })).toBeNull();
  act(() => top.focus());
  await userEvent.keyboard("{ArrowDown}{ArrowRight}{ArrowRight}{Enter}");
  expect(dialog.getByRole("treeitem", { name: "Deep" }).ariaSelected).toBe("true");
  await userEvent.click(dialog.getByRole("button", { name: "Move here" }));

  await screen.findByText("2 items were moved to “Deep”.");
  expect(isListed("a.txt")).toBe(false);
  expect(lastCall("POST")).toContain('"to":"deep"');
  await userEvent.click(screen.getByRole("button", { name: "Undo" }));
  await waitFor(() => expect(isListed("a.txt")).toBe(true));
});

it("does not offer a folder as a target for itself", async () => {
  await open();
  await userEvent.click(screen.getByRole("button", { name: "Actions for Walks" }));
  await userEvent.click(screen.getByRole("menuitem", { name: "Copy to…" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Copy “Walks”" }));
  await dialog.findByRole("treeitem", { name: "My files" });
  expect(dialog.queryByRole("treeitem", { name: "Walks" })).toBeNull();
});

it("shows files in a dialog, and the focus returns to the last one", async () => {
  await open();
  await userEvent.click(screen.getByRole("link", { name: /^a\.txt/ }));
  expect(await screen.findByRole("dialog", { name: "a.txt" })).toBeDefined();
  expect(await screen.findByText("Text of a")).toBeDefined();
  await userEvent.keyboard("{ArrowRight}");
  expect(await screen.findByRole("dialog", { name: "b.txt" })).toBeDefined();
  expect(await screen.findByText("Text of b")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(document.activeElement).toBe(row("b.txt"));
});

it("creates a folder, and says why it does not", async () => {
  await open();
  await userEvent.click(screen.getByRole("button", { name: "New folder" }));
  server.refusals.set("POST", "This name is taken.");
  await userEvent.type(screen.getByLabelText("Name"), "Sketches{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("This name is taken.");
  server.refusals.clear();
  await userEvent.click(screen.getByRole("button", { name: "Create folder" }));
  expect(await screen.findByRole("link", { name: "Sketches" })).toBeDefined();
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("searches while somebody types, and keeps the address in step", async () => {
  await open();
  await userEvent.type(screen.getByRole("searchbox"), "walk");
  expect(await screen.findByText("1 file found")).toBeDefined();
  expect(location.search).toBe("?q=walk");
  expect(screen.getByRole("link", { name: /^walk\.txt in Walks/ })).toBeDefined();
  expect(isListed("a.txt")).toBe(false);
  await userEvent.clear(screen.getByRole("searchbox"));
  await userEvent.type(screen.getByRole("searchbox"), "nowhere");
  expect(await screen.findByText("Nothing found")).toBeDefined();
});

const upload = (label: string, ...files: File[]): Promise<void> =>
  userEvent.upload(screen.getByLabelText(label), files);

it("uploads into the folder that is shown, and lists what has arrived", async () => {
  await open();
  await upload("Upload files", new File(["x"], "new.txt"), new File(["x".repeat(101)], "big.txt"));
  await waitFor(() => expect(transport.uploads).toHaveLength(1));
  expect(transport.of("new.txt").target).toBe("library");
  expect(screen.getByText(/larger than/)).toBeDefined();

  server.add(fileOf("new"));
  act(() => transport.of("new.txt").events.onDone());
  expect(await screen.findByRole("link", { name: /^new\.txt/ })).toBeDefined();
  expect(screen.getByText("1 file was uploaded.")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Dismiss big.txt" }));
  expect(screen.queryByText(/Uploading/)).toBeNull();
});

it.each([
  ["Replace", "replace"],
  ["Keep both", "rename"],
] as const)("asks what happens with taken names: %s", async (button, conflict) => {
  await open();
  await upload("Upload files", new File(["x"], "A.txt"), new File(["x"], "free.txt"));
  const dialog = within(await screen.findByRole("dialog", { name: "1 name is taken" }));
  expect(dialog.getByText("A.txt")).toBeDefined();
  await waitFor(() => expect(transport.uploads.map(({ file }) => file.name)).toEqual(["free.txt"]));
  await userEvent.click(dialog.getByRole("button", { name: button }));

  await waitFor(() => expect(transport.of("A.txt").conflict).toBe(conflict));
});

it("skips files with taken names", async () => {
  await open();
  await upload("Upload files", new File(["x"], "a.txt"));
  await userEvent.click(await screen.findByRole("button", { name: "Skip" }));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(transport.uploads).toEqual([]);
});

it("shows why a list did not load, and tries again", async () => {
  server.refusals.set("GET /api/v1/files/", "No.");
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Library first={null} firstPlace={placeOf("")} limit={1} transportFor={() => transport} />
    </QueryClientProvider>,
  );
  const again = await screen.findByRole("button", { name: "Try again" });
  server.refusals.clear();
  await userEvent.click(again);
  expect(await screen.findByRole("link", { name: /^a\.txt/ })).toBeDefined();
});

it("keeps only the rows in view of a long folder, and loads the rest on the way", async () => {
  for (let number = 0; number < 250; number += 1) server.add(fileOf(`long-${number}`));
  await open();
  const rows = (): number => document.querySelectorAll("tr[data-entry]").length;
  expect(rows()).toBeGreaterThan(5);
  expect(rows()).toBeLessThan(60);
  row("a.txt").focus();
  await userEvent.keyboard("{Control>}a{/Control}");
  expect(await bar().findByText("254 selected")).toBeDefined();
  expect(screen.getByRole("grid", { name: "253 files" }).getAttribute("aria-rowcount")).toBe("254");
});
