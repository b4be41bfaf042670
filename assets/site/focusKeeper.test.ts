import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { startFocusKeeper } from "./focusKeeper";

let stop: () => void;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  stop = startFocusKeeper();
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

const get = (id: string): HTMLElement => document.getElementById(id)!;
async function settle(): Promise<void> {
  await Promise.resolve(); // the observer
  vi.runAllTimers();
}

it.each([
  ["the next entry of a list", "b", "c-open"],
  ["the last entry, if the last was removed", "c", "b-open"],
  ["the heading, if none is left", "", "head"],
])("goes to %s", async (_what, removed, place) => {
  document.body.innerHTML = `<main><section><h2 id="head">Files</h2><ul>${["a", "b", "c"]
    .map(
      (id) =>
        `<li id="${id}"><a href="/" id="${id}-open">x</a><button id="${id}-x">x</button></li>`,
    )
    .join("")}</ul></section></main>`;
  get(`${removed || "a"}-x`).focus();
  for (const id of removed ? [removed] : ["a", "b", "c"]) get(id).remove();
  await settle();

  expect(document.activeElement?.id).toBe(place);
});

it("goes to the heading of a part that replaced itself, and leaves no trace there", async () => {
  document.body.innerHTML = `<main><section id="part"><form><button id="send">Send</button></form></section></main>`;
  get("send").focus();
  get("part").innerHTML = `<h2 id="done">Sent</h2><a href="/">Home</a>`;
  await settle();

  expect(document.activeElement).toBe(get("done"));
  get("done").blur();
  expect(get("done").hasAttribute("tabindex")).toBe(false);
});

it("goes to the opener of a part that is no longer visible", async () => {
  document.body.innerHTML = `<button id="opener" aria-controls="panel">Open</button>
    <div id="panel" role="dialog"><button id="inside">x</button></div>`;
  get("inside").focus();
  get("inside").checkVisibility = () => false; // jsdom has no layout
  get("inside").blur();
  get("panel").hidden = true;
  await settle();

  expect(document.activeElement).toBe(get("opener"));
});

it("leaves a focus alone that somebody set, or that the user took away", async () => {
  document.body.innerHTML = `<main><h1 id="head">x</h1><button id="gone">x</button><button id="better">x</button></main>`;
  get("gone").focus();
  get("gone").remove();
  get("better").focus();
  await settle();
  expect(document.activeElement).toBe(get("better"));

  get("head").dispatchEvent(new Event("pointerdown", { bubbles: true }));
  get("better").blur();
  get("better").remove();
  await settle();
  expect(document.activeElement).toBe(document.body);
});

it("returns to a button that was disabled while it worked", async () => {
  document.body.innerHTML = `<main><button id="save">Save</button></main>`;
  const save = get("save") as HTMLButtonElement;
  save.focus();
  save.disabled = true;
  save.blur();
  await settle();
  save.disabled = false;
  await settle();

  expect(document.activeElement).toBe(save);
});
