import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, it, vi } from "vitest";

import { startPageShortcuts } from "./pageShortcuts";
import { startSearch } from "./search";

const submitted = vi.fn<(query: unknown) => void>();

beforeAll(() => {
  startSearch();
  startPageShortcuts();
  addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault(); // jsdom cannot navigate
    submitted(new FormData(event.target as HTMLFormElement).get("q"));
  });
});

beforeEach(() => {
  document.body.innerHTML = `
    <div id="wide"><form data-search action="/courses/"><input name="q" type="search"></form></div>
    <details class="menu" id="compact" hidden><summary>Search</summary>
      <form data-search action="/courses/"><input name="q" type="search"></form>
    </details>
    <details class="menu" id="mobile" data-sheet hidden><summary>Menu</summary>
      <form data-search action="/courses/"><input name="q" type="search"></form>
    </details>
    <textarea></textarea><button type="button">Play</button>`;
});

const box = (): HTMLInputElement => document.querySelector("input[name=q]")!;
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

it("searches for the trimmed text, then clears the box", async () => {
  await userEvent.type(box(), "  linear algebra {Enter}");
  await settled();

  expect(submitted).toHaveBeenCalledExactlyOnceWith("linear algebra");
  expect(box().value).toBe("");
});

it.each(["{Enter}", "   {Enter}", "\u00a0\u2003{Enter}"])("ignores blank text %j", async (text) => {
  await userEvent.type(box(), text);

  expect(submitted).not.toHaveBeenCalled();
});

it("focuses the box with a slash, from anywhere", async () => {
  document.querySelector("button")!.focus();
  await userEvent.keyboard("/");

  expect(document.activeElement).toBe(box());
  expect(box().value).toBe("");
});

it("types a slash in text fields", async () => {
  const area = document.querySelector("textarea")!;
  await userEvent.type(area, "1/2");

  expect(area.value).toBe("1/2");
  expect(document.activeElement).toBe(area);
});

it.each(["compact", "mobile"])(
  "opens the %s menu for the slash if no box is visible",
  async (id) => {
    document.querySelector<HTMLElement>("#wide")!.hidden = true;
    const sheet = document.querySelector<HTMLDetailsElement>(`#${id}`)!;
    sheet.hidden = false;
    await userEvent.keyboard("/");

    expect(sheet.open).toBe(true);
    expect(sheet.contains(document.activeElement)).toBe(true);
    expect(document.activeElement?.tagName).toBe("INPUT");
  },
);

it("does nothing while a dialog is open", async () => {
  document.body.insertAdjacentHTML("beforeend", "<dialog open></dialog>");
  await userEvent.keyboard("/");

  expect(document.activeElement).toBe(document.body);
});
