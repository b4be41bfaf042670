import { beforeEach, expect, it, vi } from "vitest";

import { startServerToasts } from "../site/serverToasts";
import { announce } from "./announce";
import { toast } from "./toasts";

beforeEach(() => {
  vi.useFakeTimers();
});

const toasts = (): (string | null)[] =>
  [...document.querySelectorAll(".toast p")].map((one) => one.textContent);
const shown = (): HTMLElement => document.querySelector(".toast")!;

it("is in a landmark, also when it was announced in other words", () => {
  toast("Not moved", { isSilent: true });
  expect(shown().hasAttribute("role")).toBe(false);
  const landmark = shown().closest('[role="region"]')!;
  expect(landmark.getAttribute("aria-label")).toBe("Messages of this page");
});

it("leaves after six seconds", () => {
  toast("Note saved");
  vi.advanceTimersByTime(5999);
  expect(toasts()).toEqual(["Note saved"]);

  vi.advanceTimersByTime(1);
  expect(toasts()).toEqual([]);
});

it("waits while hovered, then counts the remaining time", () => {
  toast("Note saved");
  vi.advanceTimersByTime(4000);
  shown().dispatchEvent(new Event("pointerenter"));
  vi.advanceTimersByTime(60_000);
  expect(toasts()).toHaveLength(1);

  shown().dispatchEvent(new Event("pointerleave"));
  vi.advanceTimersByTime(1999);
  expect(toasts()).toHaveLength(1);
  vi.advanceTimersByTime(1);
  expect(toasts()).toHaveLength(0);
});

it("waits while it contains the focus", () => {
  toast("Note deleted", { action: { label: "Undo", onPress: vi.fn() } });
  document.querySelector<HTMLElement>(".toast .btn")!.focus();
  vi.advanceTimersByTime(60_000);
  expect(toasts()).toHaveLength(1);

  document.querySelector<HTMLElement>(".toast .btn")!.blur();
  vi.advanceTimersByTime(6001);
  expect(toasts()).toHaveLength(0);
});

it("shows at most three, replacing the oldest", () => {
  for (const text of ["1", "2", "3", "4"]) toast(text);

  expect(toasts()).toEqual(["2", "3", "4"]);
});

it("runs its action once and disappears", () => {
  const onPress = vi.fn();
  toast("Note deleted", { action: { label: "Undo", onPress } });
  document.querySelector<HTMLElement>(".toast .btn")!.click();

  expect(onPress).toHaveBeenCalledOnce();
  expect(toasts()).toEqual([]);
});

it("shows text as text", () => {
  toast("<img src=x onerror=alert(1)>");

  expect(document.querySelector(".toast img")).toBeNull();
  expect(toasts()).toEqual(["<img src=x onerror=alert(1)>"]);
});

it("stays if it must not be missed", () => {
  const remove = toast("You signed out in another tab.", { stays: true });
  vi.advanceTimersByTime(3_600_000);
  expect(toasts()).toHaveLength(1);

  remove();
  expect(toasts()).toHaveLength(0);
});

it("removes toasts of the server like all others", () => {
  document.body.innerHTML = `<div class="toasts" data-toasts>
    <div class="toast" data-toast><p>Enrolled</p><button data-dismiss>x</button></div>
    <div class="toast" data-toast><p>Saved</p></div></div>`;
  startServerToasts();
  document.querySelector<HTMLElement>("[data-dismiss]")!.click();
  expect(toasts()).toEqual(["Saved"]);

  vi.advanceTimersByTime(6000);
  expect(toasts()).toEqual([]);
});

it("announces in the live region of the page, and a text again", () => {
  document.body.innerHTML = '<div data-live="polite" aria-live="polite"></div>';
  announce("Playing");
  const first = document.body.textContent;
  announce("Playing");

  expect(first).toBe("Playing");
  expect(document.body.textContent).not.toBe(first);
  expect(document.body.textContent.trim()).toBe("Playing");
  expect(document.querySelectorAll("[data-live]")).toHaveLength(1);
});
