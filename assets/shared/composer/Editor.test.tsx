import { QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { createPlainSurface } from "../editor/surface";
import { session } from "../auth/browser";
import { createQueryClient } from "../queryClient";
import { availableShortcuts } from "../shortcuts";
import { tokenFor } from "../testing/tokens";
import { FakeTransport } from "../uploads/testing";
import { Transfers } from "../uploads/transfers";
import { DraftNotice } from "./DraftNotice";
import { Editor } from "./Editor";
import { keepDraft, printOf, readDraft, setAside } from "./drafts";
import { findPlace } from "./place";
import { forumPlace } from "./stores";

const NAME = "study.draft:ada:topic-1";
const remoteDraft = { key: "topic-1", source: "", values: {}, saved_at: null as string | null };

let transport: FakeTransport;
let calls: { method: string; url: string; body: unknown }[];
let answers: Record<string, (body: never, url: URL) => unknown>;

beforeEach(() => {
  transport = new FakeTransport();
  calls = [];
  answers = {
    "GET /api/v1/forum/drafts/topic-1/": () => remoteDraft,
    "PUT /api/v1/forum/drafts/topic-1/": () => remoteDraft,
    "DELETE /api/v1/forum/drafts/topic-1/": () => null,
    "POST /api/v1/forum/preview/": ({ source }: { source: string }) => ({
      html: `<p>${source}!</p>`,
    }),
    "GET /api/v1/forum/people/": () => [
      { username: "amara", name: "Amara Osei", is_staff: false },
      { username: "amir", name: "Amir Khan", is_staff: true },
    ],
    "GET /api/v1/forum/topics/": () => [{ id: 7, title: "Why [so]?", board: "General" }],
  };
  const user = { id: "ada", username: "ada", email: "ada@example.com", role: "student" as const };
  session.login(user, tokenFor(900));
  vi.stubGlobal("fetch", async (request: Request) => {
    const url = new URL(request.url);
    const text = await request.text();
    const body: unknown = text === "" ? null : JSON.parse(text);
    calls.push({ method: request.method, url: url.pathname + url.search, body });
    const answer = answers[`${request.method} ${url.pathname}`]?.(body as never, url);
    return answer === null ? new Response(null, { status: 204 }) : Response.json(answer);
  });
});

afterEach(() => vi.restoreAllMocks());

let closeTab: () => void;

/** The form as the server writes it (templates/forum/_composer.html), and the island in it. */
type Opened = {
  value?: string;
  typed?: string;
  topic?: number | null;
  draft?: string | null;
  guard?: string;
};
function open({
  value = "",
  typed,
  topic = 1,
  draft = "topic-1",
  guard = "",
}: Opened = {}): HTMLTextAreaElement {
  const part = (name: string) => `<div data-composer-part="${name}"></div>`;
  document.body.innerHTML = `<form method="post" data-guard="${guard}"><div data-composer data-draft="${NAME}">
    <label for="source">Your reply</label>${part("views")}<div id="spot"></div>
    <div><textarea id="source" name="source"></textarea>${part("preview")}</div>
    ${["list", "count", "uploads", "status"].map(part).join("")}</div>
    <input name="title" data-draft-field></form>`;
  const field = screen.getByLabelText<HTMLTextAreaElement>("Your reply");
  field.defaultValue = value;
  field.value = typed ?? value;
  const spot = document.getElementById("spot")!;
  const place = findPlace(spot);
  const surface = createPlainSurface(field);
  const { unmount } = render(
    <QueryClientProvider client={createQueryClient()}>
      <Editor
        place={place}
        surface={surface}
        writing={forumPlace}
        drafts={<DraftNotice place={place} surface={surface} draftKey={draft} />}
        most={5000}
        limit={2000}
        topic={topic}
        transfers={new Transfers(transport)}
      />
    </QueryClientProvider>,
    { container: spot },
  );
  closeTab = unmount;
  return field;
}

const form = (): HTMLFormElement => document.querySelector("form")!;

it("keeps what was typed before it was there, in the same element", async () => {
  const field = open({ typed: "Hello" });
  await userEvent.type(field, " you");

  expect(field.isConnected).toBe(true);
  expect(field.value).toBe("Hello you");
  expect(screen.getByText("9 of 5,000")).toBeDefined();
});

it("formats with buttons and keys", async () => {
  const field = open({ typed: "one two" });
  field.setSelectionRange(0, 3);
  await userEvent.click(screen.getByRole("button", { name: "Bold" }));
  expect(field.value).toBe("**one** two");

  field.setSelectionRange(8, 11);
  fireEvent.keyDown(field, { key: "i", ctrlKey: true });
  expect(field.value).toBe("**one** *two*");
  fireEvent.keyDown(field, { key: "*", code: "Digit8", ctrlKey: true, shiftKey: true });
  expect(field.value).toBe("- **one** *two*");
  expect(availableShortcuts().map(({ label }) => label)).toContain("Numbered list");
});

it("has one tab stop in its toolbar", async () => {
  open();
  screen.getByRole("button", { name: "Bold" }).focus();
  await userEvent.keyboard("{ArrowRight}{ArrowRight}{ArrowRight}");
  expect(document.activeElement?.getAttribute("aria-label")).toBe("List");
  await userEvent.keyboard("{End}");
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Image or file");

  const stops = screen.getAllByRole("button").filter(({ tabIndex }) => tabIndex === 0);
  expect(stops.filter((one) => one.closest("[role=toolbar]"))).toHaveLength(1);
});

it("posts with Ctrl+Enter, but nothing that is too long", () => {
  const field = open({ typed: "Hello" });
  const sent = vi.fn((event: Event) => event.preventDefault());
  form().addEventListener("submit", sent);
  fireEvent.keyDown(field, { key: "Enter", ctrlKey: true });
  expect(sent).toHaveBeenCalledTimes(1);

  fireEvent.input(field, { target: { value: "😀".repeat(5001) } });
  expect(screen.getByText("5,001 of 5,000")).toBeDefined();
  expect(screen.getByText(/^1 character over the limit/)).toBeDefined();
  expect(field.getAttribute("aria-invalid")).toBe("true");
  const submit = new SubmitEvent("submit", { bubbles: true, cancelable: true });
  act(() => void form().dispatchEvent(submit));
  expect(submit.defaultPrevented).toBe(true);

  fireEvent.input(field, { target: { value: "😀".repeat(4999) + "\r\n" } });
  expect(field.hasAttribute("aria-invalid")).toBe(false);
});

it("shows the preview that the server renders, beside the text", async () => {
  open({ typed: "Hello" });
  await userEvent.click(screen.getByRole("button", { name: "Both" }));

  expect(await screen.findByText("Hello!")).toBeDefined();
  expect(screen.getByLabelText<HTMLTextAreaElement>("Your reply").hidden).toBe(false);
  await userEvent.click(screen.getByRole("button", { name: "Preview" }));
  expect(screen.getByLabelText<HTMLTextAreaElement>("Your reply").hidden).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: "Write" }));
  expect(screen.queryByText("Hello!")).toBeNull();
});

it("uploads an image into the library and shows it where the caret was", async () => {
  const field = open({ typed: "Look: now" });
  field.setSelectionRange(6, 6);
  const image = new File(["x"], "my slant.png", { type: "image/png" });
  await userEvent.upload(screen.getByLabelText("Choose images or files"), image);
  expect(field.value).toMatch(/^Look: !\[Uploading my slant\.png \d+…]\(\)now$/);
  expect(transport.of("my slant.png").target).toBe("library");
  const submit = new SubmitEvent("submit", { bubbles: true, cancelable: true });
  act(() => void form().dispatchEvent(submit));
  expect(submit.defaultPrevented).toBe(true);

  field.setRangeText("Now l", 0, 1);
  const { events } = transport.of("my slant.png");
  act(() => events.onCreated("http://site/api/v1/uploads/7/", null));
  act(() => events.onDone());

  await waitFor(() => expect(field.value).toBe("Now look: ![my slant.png](/forum/images/7)now"));
  expect(screen.queryByRole("list", { name: "Uploads" })).toBeNull();
});

it("takes pasted and dropped files, but the text of an office program", () => {
  const field = open();
  const image = new File(["x"], "a.png", { type: "image/png" });
  const paste = (text: string) =>
    fireEvent.paste(field, { clipboardData: { files: [image], getData: () => text } });
  paste("words");
  expect(transport.uploads).toHaveLength(0);
  paste("");
  fireEvent.drop(field, { dataTransfer: { types: ["Files"], files: [new File(["x"], "b.pdf")] } });
  expect(transport.uploads.map(({ file }) => file.name)).toEqual(["a.png", "b.pdf"]);
});

it("makes a link of an address that is pasted onto words", () => {
  const field = open({ typed: "the docs here" });
  field.setSelectionRange(4, 8);
  fireEvent.paste(field, { clipboardData: { files: [], getData: () => "https://a.example" } });
  expect(field.value).toBe("the [docs](https://a.example) here");
});

it("says why a file is refused, and takes its place out of the text", async () => {
  const field = open();
  const large = new File(["x".repeat(2001)], "big.png", { type: "image/png" });
  await userEvent.upload(screen.getByLabelText("Choose images or files"), large);
  expect(field.value).toBe("");
  expect(screen.getByRole("list", { name: "Uploads" }).textContent).toContain("big.png");

  await userEvent.click(screen.getByRole("button", { name: "Remove big.png" }));
  expect(screen.queryByText("big.png")).toBeNull();
});

it("completes people and keeps the focus in the text", async () => {
  const field = open();
  await userEvent.type(field, "Hi @am");
  const options = await screen.findAllByRole("option");
  expect(options.map(({ textContent }) => textContent)).toEqual([
    "@amara Amara Osei",
    "@amir Amir Khan, instructor",
  ]);
  await waitFor(() => expect(field.getAttribute("aria-expanded")).toBe("true"));
  expect(field.getAttribute("aria-activedescendant")).toBe(options[0]?.id);

  await userEvent.keyboard("{ArrowDown}{Enter}");
  expect(field.value).toBe("Hi @amir ");
  expect(document.activeElement).toBe(field);
  expect(field.hasAttribute("role")).toBe(false);
  expect(calls.filter(({ url }) => url.includes("people")).at(-1)?.url).toBe(
    "/api/v1/forum/people/?q=am&topic=1",
  );
});

it("closes the suggestions on Escape until another word", async () => {
  const field = open();
  await userEvent.type(field, "@am");
  await screen.findAllByRole("option");
  await userEvent.keyboard("{Escape}a");
  expect(screen.queryByRole("option")).toBeNull();
  expect(field.value).toBe("@ama");
});

it("offers no suggestions in a field that was left before their code came", async () => {
  const { Suggestions } = await import("./Suggestions");
  const field = document.createElement("textarea");
  const list = document.createElement("div");
  document.body.append(field, list);
  field.value = "@am";
  field.setSelectionRange(3, 3);
  const surface = createPlainSurface(field);
  const triggers = ["person"] as const;
  const show = () =>
    render(
      <Suggestions
        field={field}
        surface={surface}
        list={list}
        triggers={triggers}
        isPhrasing={false}
        topic={1}
        onFiles={() => undefined}
      />,
    );
  field.blur();
  const { unmount } = show();
  await act(() => new Promise((done) => setTimeout(done, 300)));
  expect(screen.queryByRole("option")).toBeNull();
  unmount();

  field.focus();
  show();
  expect((await screen.findAllByRole("option")).length).toBeGreaterThan(0);
  field.remove();
});

it("completes links to topics", async () => {
  const field = open({ topic: null });
  await userEvent.type(field, "See #wh");
  await userEvent.click(await screen.findByRole("option"));
  expect(field.value).toBe("See [Why so ?](/forum/topics/7) ");
});

it("keeps a draft on this device and on the server", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const field = open();
  fireEvent.input(field, { target: { value: "Half a" } });
  fireEvent.input(document.querySelector("[name=title]")!, { target: { value: "Title" } });
  await act(() => vi.advanceTimersByTimeAsync(400));
  expect(readDraft(NAME)).toMatchObject({ source: "Half a", fields: { title: "Title" } });
  expect(screen.getByText(/^Draft saved/)).toBeDefined();

  await act(() => vi.advanceTimersByTimeAsync(3000));
  const put = calls.find(({ method }) => method === "PUT");
  expect(put?.body).toMatchObject({ source: "Half a", values: { title: "Title" } });
});

it("brings back the draft of this device, and discards it", async () => {
  keepDraft(NAME, { source: "Half a", fields: { title: "Kept" }, at: 1000 });
  const field = open();
  expect(field.value).toBe("Half a");
  expect(document.querySelector<HTMLInputElement>("[name=title]")?.value).toBe("Kept");
  expect(await screen.findByText(/restored$/)).toBeDefined();

  await userEvent.click(screen.getByRole("button", { name: "Discard" }));
  expect(field.value).toBe("");
  expect(readDraft(NAME)).toBeNull();
  await waitFor(() => expect(calls.map(({ method }) => method)).toContain("DELETE"));
});

it("shows the newer draft of another device", async () => {
  keepDraft(NAME, { source: "Older", fields: {}, at: 1000 });
  answers["GET /api/v1/forum/drafts/topic-1/"] = () => ({
    ...remoteDraft,
    source: "Newer",
    saved_at: "2026-01-01T00:00:00Z",
  });
  const field = open();
  expect(field.value).toBe("Older");
  await waitFor(() => expect(field.value).toBe("Newer"));
});

it("offers a draft to someone who has begun to write", async () => {
  keepDraft(NAME, { source: "Kept", fields: {}, at: 1000 });
  const field = open({ typed: "New words" });
  expect(field.value).toBe("New words");
  await userEvent.click(await screen.findByRole("button", { name: "Use the draft" }));
  expect(field.value).toBe("Kept");
});

it("leaves alone what the server shows again", () => {
  keepDraft(NAME, { source: "Kept", fields: {}, at: 1000 });
  expect(open({ value: "Refused" }).value).toBe("Refused");
});

const lesson = { draft: null, value: "Old text" };

it("keeps a text of a course on this device until the server has it", () => {
  vi.useFakeTimers();
  const field = open(lesson);
  fireEvent.input(field, { target: { value: "New text" } });
  act(() => void vi.advanceTimersByTime(400));
  expect(readDraft(NAME)).toMatchObject({ source: "New text" });
  expect(screen.getByText(/^On this device since/)).toBeDefined();
  expect(calls).toEqual([]);

  closeTab(); // the tab was killed
  expect(open(lesson).value).toBe("New text");
  closeTab();
  // Somebody else changed the text meanwhile: theirs is shown, and the draft is offered.
  expect(open({ draft: null, value: "Their text" }).value).toBe("Their text");
  act(() => screen.getByRole("button", { name: "Use the draft" }).click());
  expect(screen.getByLabelText<HTMLTextAreaElement>("Your reply").value).toBe("New text");
});

it("forgets a draft whose changes were taken back by hand", () => {
  vi.useFakeTimers();
  const field = open(lesson);
  for (const value of ["New text", "Old text"]) {
    fireEvent.input(field, { target: { value } });
    act(() => void vi.advanceTimersByTime(400));
  }
  expect(readDraft(NAME)).toBeNull();
});

it("brings back a text that was sent but not saved, or shown again without being saved", () => {
  const sent = { source: "New text", fields: {}, at: 1000, base: printOf("Old text") };
  setAside(NAME, sent);
  expect(open(lesson).value).toBe("New text"); // signed out meanwhile
  closeTab();

  localStorage.clear();
  setAside(NAME, sent);
  open({ draft: null, value: "New text", guard: "unsaved" });
  expect(readDraft(NAME)).toEqual(sent);
  closeTab();

  localStorage.clear();
  setAside(NAME, sent);
  expect(open({ draft: null, value: "New text" }).value).toBe("New text"); // saved
  expect(readDraft(NAME)).toBeNull();
});

function leave(): void {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  act(() => void document.dispatchEvent(new Event("visibilitychange")));
}

it("keeps the last words when the page is left at once", async () => {
  const field = open();
  fireEvent.input(field, { target: { value: "Half a" } });
  leave();
  expect(readDraft(NAME)?.source).toBe("Half a");
  await waitFor(() => expect(calls.map(({ method }) => method)).toContain("PUT"));
});

it("forgets the draft when the form is sent", () => {
  vi.useFakeTimers();
  const field = open();
  fireEvent.input(field, { target: { value: "Done" } });
  act(() => {
    vi.advanceTimersByTime(400);
  });
  expect(readDraft(NAME)).not.toBeNull();
  act(() => void form().dispatchEvent(new SubmitEvent("submit", { bubbles: true })));
  act(() => {
    vi.advanceTimersByTime(5000);
  });
  leave();

  expect(readDraft(NAME)).toBeNull();
  expect(calls.map(({ method }) => method)).not.toContain("PUT");
});
