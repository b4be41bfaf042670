import { readFileSync } from "node:fs";
import { beforeEach, expect, it, vi } from "vitest";

// The script runs right after the announcement in the page, so that a dismissed one never flashes.
const script = readFileSync(
  `${import.meta.dirname}/../../templates/components/announcement.js`,
  "utf8",
);

function arrive(uid: string): HTMLElement {
  document.body.innerHTML = `<aside data-announcement="${uid}"><button>Dismiss</button></aside>
    <script></script><main tabindex="-1"></main>`;
  vi.spyOn(document, "currentScript", "get").mockReturnValue(document.querySelector("script"));
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- as the browser does
  new Function(script)();
  return document.querySelector("aside")!;
}

beforeEach(() => localStorage.clear());

it("shows an announcement until it is dismissed, and others still", () => {
  const band = arrive("one");
  expect(band.hidden).toBe(false);

  band.querySelector("button")!.click();
  expect(band.hidden).toBe(true);
  expect(document.activeElement).toBe(document.querySelector("main"));
  expect(arrive("one").hidden).toBe(true);
  expect(arrive("two").hidden).toBe(false);
});

it.each(["no JSON", "null", "7"])("shows it where storage holds %j", (kept) => {
  localStorage.setItem("study.dismissed", kept);
  expect(arrive("one").hidden).toBe(false);
});

it("can be dismissed for this page where storage is blocked", () => {
  vi.spyOn(Storage.prototype, "setItem").mockImplementation(() => {
    throw new DOMException("blocked", "SecurityError");
  });
  const band = arrive("one");
  band.querySelector("button")!.click();
  expect(band.hidden).toBe(true);
});
