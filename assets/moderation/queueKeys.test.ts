import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { startShortcuts } from "../shared/shortcuts";
import { startQueueKeys } from "./queueKeys";

const opened: string[] = [];
const pressed: string[] = [];
let stop: () => void;

forgetListenersAfterEach();

beforeEach(() => {
  startShortcuts();
  opened.length = 0;
  pressed.length = 0;
  document.body.innerHTML = `<ul data-queue><li><a href="/q/1">One</a></li><li><a href="/q/2" aria-current="true">Two</a></li>
    <li><a href="/q/3">Three</a></li></ul><form><button type="button" data-key="a">Approve <kbd>A</kbd></button>
    <textarea data-reason></textarea><button type="button" data-key="r" data-needs-reason>Reject <kbd>R</kbd></button></form>`;
  for (const button of document.querySelectorAll("button"))
    button.addEventListener("click", () => pressed.push(button.dataset.key ?? ""));
  stop = startQueueKeys(document, (address) => opened.push(new URL(address).pathname));
});

afterEach(() => {
  stop();
  vi.restoreAllMocks();
});

const key = (
  one: string,
  target: EventTarget = document.body,
  more: KeyboardEventInit = {},
): boolean =>
  target.dispatchEvent(
    new KeyboardEvent("keydown", { key: one, bubbles: true, cancelable: true, ...more }),
  );

it("moves to the next and the previous row", () => {
  key("j");
  key("k");
  expect(opened).toEqual(["/q/3", "/q/1"]);
});

it("stays at the ends of the list", () => {
  document.querySelector("[aria-current]")!.removeAttribute("aria-current");
  document.querySelectorAll("a")[2]!.setAttribute("aria-current", "true");
  stop();
  stop = startQueueKeys(document, (address) => opened.push(address));
  key("j");
  expect(opened).toEqual([]);
});

it("presses the buttons, but one that needs a reason only with one", () => {
  const reason = document.querySelector("textarea")!;
  key("a");
  key("r");
  expect([pressed, document.activeElement]).toEqual([["a"], reason]);
  reason.value = "Not about the lesson";
  reason.blur();
  key("r");
  expect(pressed).toEqual(["a", "r"]);
});

it("leaves keys to fields and to the browser, and ends when asked to", () => {
  key("a", document.querySelector("textarea")!);
  key("a", document.body, { ctrlKey: true });
  stop();
  key("a");
  expect(pressed).toEqual([]);
});
