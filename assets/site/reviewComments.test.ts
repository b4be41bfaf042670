import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { registerShortcuts, startShortcuts } from "../shared/shortcuts";
import { startReviewComments } from "./reviewComments";

const PAGE = `
  <div data-review data-review-next="?lesson=b#first">
    <video></video>
    <ul><li tabindex="-1" data-review-step id="f-1">Finding</li></ul>
    <section data-review-part="lesson">
      <article class="rthread" id="t-1" tabindex="-1" data-review-step>
        <details><form action="/t/1/answers" method="post" data-review-send><textarea name="text"></textarea><button>Answer</button></form></details>
        <form action="/t/1/state" method="post" data-review-send><button name="resolve" value="1">Resolve</button></form>
      </article>
      <form action="/comments" method="post" data-review-send id="add"><textarea name="text"></textarea><input name="at" data-review-at><button>Add</button></form>
    </section>
  </div>`;
const opened = vi.fn<(address: string) => void>();
let end: () => void;
let keysStarted = false;

beforeEach(() => {
  opened.mockReset();
  Element.prototype.scrollIntoView = vi.fn();
  document.body.innerHTML = PAGE;
  if (!keysStarted) startShortcuts();
  keysStarted = true;
  end = startReviewComments(opened);
});
afterEach(() => {
  end();
  vi.unstubAllGlobals();
});

function press(key: string): void {
  (document.activeElement ?? document.body).dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true }),
  );
}
function submit(selector: string): void {
  const form = document.querySelector<HTMLFormElement>(selector)!;
  form.dispatchEvent(
    new SubmitEvent("submit", {
      bubbles: true,
      cancelable: true,
      submitter: form.querySelector("button"),
    }),
  );
}
function answerWith(body: string, status = 200) {
  const fetched = vi.fn(() => Promise.resolve(new Response(body, { status })));
  vi.stubGlobal("fetch", fetched);
  return fetched;
}

it("leads through findings and open comments, then to the next lesson", () => {
  const withdraw = registerShortcuts([
    { keys: [" ", "k"], caps: ["Space", "K"], label: "Play", group: "playing", run: opened },
  ]);
  press("j");
  expect(document.activeElement?.id).toBe("f-1");
  press("J");
  expect(document.activeElement?.id).toBe("t-1");
  press("k");
  expect(document.activeElement?.id).toBe("f-1");
  press("k");
  expect(opened).not.toHaveBeenCalled();
  press("j");
  press("j");
  expect(opened).toHaveBeenCalledExactlyOnceWith("?lesson=b#first");
  document.querySelector<HTMLTextAreaElement>("#add textarea")!.focus();
  press("j");
  expect(document.activeElement?.tagName).toBe("TEXTAREA");
  withdraw();
});

it("takes the second of the video when someone begins to write, once", () => {
  const video = document.querySelector("video")!;
  const at = document.querySelector<HTMLInputElement>("[name=at]")!;
  const text = document.querySelector<HTMLTextAreaElement>("#add textarea")!;
  text.focus();
  expect(at.value).toBe("");
  text.blur();
  video.currentTime = 252.7;
  text.focus();
  expect(at.value).toBe("4:12");
  at.value = "";
  text.blur();
  text.focus();
  expect(at.value).toBe("");
});

it("shows what was saved without losing what is written beside", async () => {
  document.querySelector<HTMLTextAreaElement>("#t-1 textarea")!.value = "Half an answer";
  const fresh = PAGE.replace(
    '<form action="/comments"',
    '<article class="rthread" id="t-2" tabindex="-1">New</article><form action="/comments"',
  );
  const told = '<div class="flashes"><div class="notice"><p>@leo sees no course</p></div></div>';
  const fetched = answerWith(told + fresh);
  submit("#add");
  await vi.waitFor(() => expect(document.querySelector("#t-2")).not.toBeNull());
  expect(fetched).toHaveBeenCalledOnce();
  expect(document.querySelector(".toast")?.textContent).toContain("@leo sees no course");
  expect(document.activeElement?.id).toBe("t-2");
  expect(document.querySelector<HTMLTextAreaElement>("#t-1 textarea")!.value).toBe(
    "Half an answer",
  );
  expect(document.querySelector("details")!.open).toBe(true);
});

it("keeps a text that is refused, and says why", async () => {
  document.querySelector<HTMLTextAreaElement>("#add textarea")!.value = "Mine";
  answerWith('<div data-errors tabindex="-1"><a href="#x">At</a>: wrong</div>', 422);
  submit("#add");
  await vi.waitFor(() => expect(document.querySelector("#add [data-errors]")).not.toBeNull());
  expect(document.activeElement?.textContent).toBe("At: wrong");
  expect(document.querySelector<HTMLTextAreaElement>("#add textarea")!.value).toBe("Mine");
});

it("keeps a text when the connection is lost", async () => {
  const fetched = vi.fn(() => Promise.reject(new TypeError("offline")));
  vi.stubGlobal("fetch", fetched);
  document.querySelector<HTMLTextAreaElement>("#add textarea")!.value = "Mine";
  submit("#add");
  await vi.waitFor(() => expect(document.body.textContent).toContain("Nothing was sent"));
  expect(document.querySelector<HTMLTextAreaElement>("#add textarea")!.value).toBe("Mine");
});

it("completes the names of people whom a comment can mention", () => {
  const form = document.querySelector<HTMLFormElement>("#add")!;
  form.dataset.mentions = JSON.stringify([
    ["ada", "Ada Byron"],
    ["bo", "Bo Adams"],
    ["cy", "Cy Fox"],
  ]);
  const field = form.querySelector("textarea")!;
  const type = (text: string): void => {
    field.value = text;
    field.setSelectionRange(text.length, text.length);
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
  };
  field.focus();
  type("Look, @AD");
  const options = () =>
    [...document.querySelectorAll("[role=option]")].map((one) => one.textContent);
  expect(options()).toEqual(["@adaAda Byron", "@boBo Adams"]);
  expect(field.getAttribute("aria-activedescendant")).toBe("mentions-0");
  press("ArrowDown");
  press("Enter");
  expect(field.value).toBe("Look, @bo ");
  expect(options()).toEqual([]);
  expect(field.hasAttribute("role")).toBe(false);
  type("@c");
  press("Escape");
  expect(options()).toEqual([]);
  expect(field.value).toBe("@c");
  for (const text of ["x@a", "@nobody"]) {
    type(text);
    expect(options()).toEqual([]);
  }
});
