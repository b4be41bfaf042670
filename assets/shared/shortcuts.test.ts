import { readFileSync } from "node:fs";
import path from "node:path";

import { afterEach, beforeEach, expect, it } from "vitest";

import { showHelp } from "../site/shortcutsHelp";
import {
  areShortcutsOn,
  registerShortcuts,
  availableShortcuts,
  type Shortcut,
  shortcutOf,
  showShortcutSetting,
  startShortcuts,
  switchShortcuts,
} from "./shortcuts";

const ran: string[] = [];
let withdraw: (() => void)[] = [];

function shortcut(key: string, more: Partial<Shortcut> = {}): Shortcut {
  const run = (): void => void ran.push(more.label ?? key);
  return { keys: [key], caps: [key.toUpperCase()], label: key, group: "page", run, ...more };
}
const give = (...list: Shortcut[]): void => void withdraw.push(registerShortcuts(list));

beforeEach(() => {
  ran.length = 0;
  document.body.innerHTML = "";
  localStorage.clear();
  delete document.documentElement.dataset.earlyKeys;
  give(...["m", "n", "b", "p", "?", " ", "arrowleft"].map((key) => shortcut(key)));
});
afterEach(() => {
  for (const end of withdraw) end();
  withdraw = [];
});

function press(key: string, html = "<p tabindex=0></p>", more: KeyboardEventInit = {}) {
  document.body.innerHTML = html;
  const target = document.body.querySelector("[data-at]") ?? document.body.firstElementChild;
  const event = new KeyboardEvent("keydown", { key, bubbles: true, ...more });
  target?.dispatchEvent(event);
  return shortcutOf(event)?.label;
}

it.each([
  ["m", "m"],
  ["M", "m"],
  [" ", " "],
  ["ArrowLeft", "arrowleft"],
  ["x", undefined],
  ["Enter", undefined],
  ["toString", undefined],
])("finds for %j the shortcut %s", (key, found) => {
  expect(press(key)).toBe(found);
});

it.each([
  ["a text field", "m", "<input>"],
  ["a text area", "n", "<textarea></textarea>"],
  ["a list to choose from", "p", "<select></select>"],
  ["an editable text", "m", '<div role="textbox"></div>'],
  ["a menu", "m", '<div role="menu"><button data-at></button></div>'],
  ["an open menu of the page", "m", '<details class="menu" open><a data-at></a></details>'],
  ["an answer of a question", "b", '<div class="answers"><input type="radio" data-at></div>'],
  ["a button, of space", " ", "<button></button>"],
  ["a link, of space", " ", '<a href="#x">x</a>'],
  ["a slider, of arrows", "ArrowLeft", '<div role="slider"></div>'],
  ["a range, of arrows", "ArrowLeft", '<input type="range">'],
  ["tabs", "ArrowLeft", '<div role="tablist"><button data-at></button></div>'],
  ["an open dialog anywhere", "m", "<p></p><dialog open></dialog>"],
])("leaves the key to %s", (_, key, html) => {
  expect(press(key, html)).toBeUndefined();
});

it("gives Space to the page after a press of the mouse, and to the button after the Tab key", () => {
  startShortcuts();
  const html =
    '<details class="menu"><summary data-at>Speed</summary></details><button>Mute</button>';
  document.body.innerHTML = html;
  const heard = (selector: string): string | undefined => {
    const target = document.body.querySelector(selector)!;
    const event = new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true });
    target.dispatchEvent(event);
    return event.defaultPrevented ? ran.pop() : undefined;
  };
  for (const selector of ["button", "summary"]) {
    expect(heard(selector)).toBeUndefined();
    document.body
      .querySelector(selector)
      ?.dispatchEvent(new MouseEvent("pointerdown", { bubbles: true }));
    expect(heard(selector)).toBe(" ");
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "Tab", bubbles: true }));
    expect(heard(selector)).toBeUndefined();
  }
});

it.each([{ ctrlKey: true }, { metaKey: true }, { altKey: true }])(
  "leaves %j to the browser",
  (more) => {
    expect(press("p", undefined, more)).toBeUndefined();
  },
);

it.each([
  ["m", "<button></button>"],
  ["m", "<input type=checkbox>"],
  ["?", '<div class="answers"><input type="radio" data-at></div>'],
  ["m", '<div role="tablist"><button data-at></button></div>'],
  [" ", '<input type="range">'],
  [" ", '<div role="slider"></div>'],
])("acts on %j beside %s", (key, html) => {
  expect(press(key, html)).toBe(key);
});

it("ignores letters and symbols while shortcuts are off, and still plays and seeks", () => {
  switchShortcuts(false);
  expect([press("m"), press("?"), press(" "), press("ArrowLeft")]).toEqual([
    undefined,
    undefined,
    " ",
    "arrowleft",
  ]);
  expect(document.documentElement.dataset.keys).toBe("off");

  switchShortcuts(true);
  expect(areShortcutsOn()).toBe(true);
  expect(press("m")).toBe("m");
});

it("shows no hint of a key that does nothing", () => {
  const file = path.join(import.meta.dirname, "../styles/components/search.css");
  const rule = /^ *\[data-keys.*$/m.exec(readFileSync(file, "utf8"))?.[0] ?? "";
  document.body.innerHTML = `<style>${rule}</style><form class="search"><kbd>/</kbd></form>`;
  const hint = document.querySelector("kbd")!;

  showShortcutSetting();
  expect(getComputedStyle(hint).display).not.toBe("none");
  switchShortcuts(false);
  expect(getComputedStyle(hint).display).toBe("none");
});

it("gives a key to the later shortcut, if it is available", () => {
  let isOpen = true;
  give(shortcut("n", { label: "of the player", isAvailable: () => isOpen }));
  expect(press("n")).toBe("of the player");

  isOpen = false;
  expect(press("n")).toBe("n");
  expect(availableShortcuts().map(({ label }) => label)).not.toContain("of the player");
});

it("runs recorded keys once, when their shortcut is registered", () => {
  document.documentElement.dataset.earlyKeys = "f + N x";
  give(shortcut("+"), shortcut("f"));
  expect(ran).toEqual(["f", "+"]);
  expect(document.documentElement.dataset.earlyKeys).toBe("N x");

  give(shortcut("n", { label: "late" }));
  give(shortcut("n", { label: "later" }));
  expect(ran).toEqual(["f", "+", "late"]);
});

it("runs the shortcut of a pressed key and prevents the default", () => {
  startShortcuts();
  const event = new KeyboardEvent("keydown", { key: "m", bubbles: true, cancelable: true });
  document.body.dispatchEvent(event);

  expect(ran).toEqual(["m"]);
  expect(event.defaultPrevented).toBe(true);
});

it("shows exactly the working shortcuts in the help, also those added while it is open", () => {
  give(shortcut("k", { label: "Nothing to do", isAvailable: () => false }));
  showHelp();
  const shown = () => [...document.querySelectorAll(".keys dt")].map((one) => one.textContent);
  expect(shown()).toEqual(availableShortcuts().map(({ label }) => label));

  give(shortcut("f", { label: "Full screen", group: "playing" }));
  expect(shown()[0]).toBe("Full screen");

  give(shortcut(" ", { label: "Play or pause", group: "playing" }));
  document.querySelector<HTMLInputElement>("dialog input")?.click();
  expect(areShortcutsOn()).toBe(false);
  expect(shown()).toEqual(["Play or pause", "arrowleft"]);
});
