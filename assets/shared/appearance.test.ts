import { afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";

import { applyAppearance, readAppearance, startAppearance } from "./appearance";

let prefersDark = false;
const systemListeners: (() => void)[] = [];

const system = (): MediaQueryList =>
  ({
    get matches() {
      return prefersDark;
    },
    addEventListener: (_: string, heard: () => void) => systemListeners.push(heard),
  }) as unknown as MediaQueryList;

beforeAll(() => {
  window.matchMedia = system;
  startAppearance();
});

beforeEach(() => {
  // Again for each test: Vitest takes back what a file before this one stubbed, and this with it.
  window.matchMedia = system;
  document.head.innerHTML = '<meta name="theme-color" content="#fff">';
  document.body.innerHTML = ["light", "dark", ""]
    .map((value) => `<input type="radio" name="a" data-look="theme" value="${value}">`)
    .concat(
      ["academic", "corporate"].map(
        (value) => `<input type="radio" name="b" data-look="style" value="${value}">`,
      ),
    )
    .join("");
});
afterEach(() => (prefersDark = false));

const root = document.documentElement.classList;
const choice = (value: string): HTMLInputElement =>
  document.querySelector(`input[value="${value}"]`)!;

function choose(value: string): void {
  choice(value).checked = true;
  choice(value).dispatchEvent(new Event("change", { bubbles: true }));
}

it("takes the stored appearance, else that of the system, else light and academic", () => {
  expect(readAppearance()).toEqual({ theme: "light", style: "academic" });
  prefersDark = true;
  expect(readAppearance()).toEqual({ theme: "dark", style: "academic" });
  localStorage.setItem("study.theme", "light");
  localStorage.setItem("study.style", "corporate");
  expect(readAppearance()).toEqual({ theme: "light", style: "corporate" });
});

it("ignores an unknown theme or style", () => {
  localStorage.setItem("study.theme", "sepia");
  localStorage.setItem("study.style", '"corporate"');

  expect(readAppearance()).toEqual({ theme: "light", style: "academic" });
});

it("changes its own classes and the browser toolbar only", () => {
  document.documentElement.className = "js theme-light style-academic";
  applyAppearance({ theme: "dark", style: "corporate" });

  expect([...root]).toEqual(expect.arrayContaining(["js", "theme-dark", "style-corporate"]));
  expect(root).toHaveLength(3);
  expect(document.querySelector("meta")!.content).toBe("#0e1117");
});

it("stores a choice and applies it at once", () => {
  choose("dark");
  choose("corporate");

  expect(localStorage.getItem("study.theme")).toBe("dark");
  expect(localStorage.getItem("study.style")).toBe("corporate");
  expect(root.contains("theme-dark")).toBe(true);
  expect(root.contains("style-corporate")).toBe(true);
});

it("returns to the theme of the device and shows that choice", () => {
  prefersDark = true;
  choose("light");
  choose("");

  expect(localStorage.getItem("study.theme")).toBeNull();
  expect(root.contains("theme-dark")).toBe(true);
  expect(choice("").checked).toBe(true);
});

it("shows in its menu that nothing was chosen", () => {
  dispatchEvent(new StorageEvent("storage", { key: null }));

  expect(choice("").checked).toBe(true);
  expect(choice("light").checked).toBe(false);
});

it("stores only what was chosen", () => {
  prefersDark = true;
  choose("corporate");

  expect(localStorage.getItem("study.theme")).toBeNull();
  expect(root.contains("theme-dark")).toBe(true);
});

it("follows another tab, in the page and in the menu", () => {
  localStorage.setItem("study.theme", "dark");
  dispatchEvent(new StorageEvent("storage", { key: "study.theme", newValue: "dark" }));

  expect(root.contains("theme-dark")).toBe(true);
  expect(choice("dark").checked).toBe(true);
  expect(choice("light").checked).toBe(false);
});

it("follows the system while nothing was chosen", () => {
  prefersDark = true;
  for (const heard of systemListeners) heard();
  expect(root.contains("theme-dark")).toBe(true);

  localStorage.setItem("study.theme", "light");
  for (const heard of systemListeners) heard();
  expect(root.contains("theme-light")).toBe(true);
});

it("works where storage is blocked", () => {
  vi.spyOn(Storage.prototype, "getItem").mockImplementation(() => {
    throw new DOMException("blocked", "SecurityError");
  });
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("blocked", "SecurityError");
  });
  choose("dark");

  expect(root.contains("theme-dark")).toBe(true);
});
