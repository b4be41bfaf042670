import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { session } from "../shared/auth/browser";
import { tokenFor } from "../shared/testing/tokens";
import { receiveLesson, startLessonForm } from "./lessonForm";

const ADA = "0b9f7f4e-3f43-4c6a-9d57-7f6a8c1f2d10";
let sent: Record<string, unknown>[] = [];
let elsewhere: Record<string, unknown> = {};
let end: (() => void) | undefined;

beforeEach(() => {
  sent = [];
  localStorage.clear();
  session.login(
    { id: "ada", username: "ada", email: "ada@example.com", role: "instructor" },
    tokenFor(900),
  );
  vi.stubGlobal("fetch", async (request: Request) => {
    if (request.method === "GET") return Response.json({ values: elsewhere });
    const body = (await request.json()) as { fields: Record<string, { value: unknown }> };
    sent.push(body);
    const outcomes = Object.entries(body.fields).map(([name, { value }]) => ({
      name,
      state: "saved",
      problem: "",
      version: "2",
      value,
      edited_by: "",
      edited_at: null,
    }));
    return Response.json({ outcomes, change: null });
  });
});
afterEach(() => {
  end?.();
  vi.unstubAllGlobals();
});

function show(uid: string): HTMLFormElement {
  document.head.innerHTML = `<meta name="study-user" content="${ADA}">`;
  document.body.innerHTML = `<form data-lesson-form="${uid}" data-versions='{"title": "1", "body": "1"}'>
    <div class="field"><input name="title" value="One"></div>
    <div class="field composer"><textarea name="body">First
line</textarea><div id="live" tabindex="0"></div><button type="button">Bold</button></div></form><p></p>`;
  return document.forms[0]!;
}

const start = (form: HTMLFormElement): void => {
  end = startLessonForm(form, document.querySelector("p")!, {
    onTitle: () => undefined,
    onSaved: () => undefined,
    onRecorded: () => undefined,
  });
};

it("saves what was typed before it was here, in the name of who typed it", async () => {
  const form = show("lesson-1");
  form.querySelector("input")!.value = "One and more";
  start(form);
  await vi.waitFor(() => expect(sent).toHaveLength(1), { timeout: 3000 });
  expect(sent[0]).toMatchObject({
    author: ADA,
    fields: { title: { value: "One and more", base: "1" } },
  });
  expect(Object.keys(sent[0]!.fields as object)).toEqual(["title"]);
});

it("warns before the page is left while nothing keeps what was typed", () => {
  const form = show("lesson-2");
  start(form);
  const leave = (): boolean => dispatchEvent(new Event("beforeunload", { cancelable: true }));
  expect(leave()).toBe(true);
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("full", "QuotaExceededError");
  });
  const title = form.querySelector("input")!;
  title.value = "Two";
  title.dispatchEvent(new Event("input", { bubbles: true }));
  expect(leave()).toBe(false);
  vi.restoreAllMocks();
});

it("shows what another author made of the field that the user is in, once it is asked for", async () => {
  const form = show("lesson-3");
  start(form);
  const title = form.querySelector("input")!;
  title.focus();
  const theirs = {
    value: "Two",
    version: "2",
    edited_by: "Ana",
    edited_at: "2026-01-15T12:00:00Z",
  };
  elsewhere = { title: theirs };
  await receiveLesson("lesson-3");
  expect(form.querySelector("[role=status]")?.textContent).toContain("Ana changed this at");
  expect(title.value).toBe("One");
  form.querySelector<HTMLElement>("[role=status] button")!.click();
  expect(title.value).toBe("Two");
  expect(form.querySelector("[data-unsaved]")).toBeNull();

  title.value = "Mine";
  title.dispatchEvent(new Event("input", { bubbles: true }));
  elsewhere = { title: { ...theirs, value: "Three", version: "3" } };
  await receiveLesson("lesson-3");
  expect(form.querySelector("[role=alert]")?.textContent).toContain("There it says:Three");
  expect(title.value).toBe("Mine");
});
