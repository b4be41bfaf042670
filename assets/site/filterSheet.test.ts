import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { startSheet } from "./filterSheet";

const results = (found: string, biology: string): string =>
  `<form><label><input type="checkbox" name="category" value="biology"><b class="check__n">${biology}</b></label>
   <button><span data-found>${found}</span></button></form>`;
const dialog = (): HTMLDialogElement => document.querySelector("dialog")!;
const opener = (): HTMLElement => document.querySelector("[data-filters]")!;
const biology = (): HTMLInputElement => document.querySelector("[value=biology]")!;
const counts = (): string[] =>
  [...document.querySelectorAll("[data-found], .check__n")].map((one) => one.textContent);

beforeEach(() => {
  const phone = Object.assign(new EventTarget(), { matches: true }) as MediaQueryList;
  window.matchMedia = () => phone;
  document.body.innerHTML = `
    <aside id="filters"><form action="/courses/" data-auto-submit>
      <a href="#results" data-close>Close</a>
      <label><input type="checkbox" name="category" value="biology">Biology <span class="check__n">4</span></label>
      <label><input type="checkbox" name="category" value="music">Music <span class="check__n">5</span></label>
      <label><input type="checkbox" name="length" value="short">Short <span class="check__n">9</span></label>
      <button type="submit"><span data-found>Show 9 courses</span></button>
    </form></aside>
    <a href="#filters" data-filters>Filters</a>`;
});

it("opens the filters as a dialog whose close button returns the focus", async () => {
  startSheet(document.querySelector("form")!, "(max-width: 60em)");
  expect(opener().getAttribute("role")).toBe("button");
  await userEvent.click(opener());
  expect(dialog().open).toBe(true);
  expect(dialog().contains(biology())).toBe(true);

  await userEvent.click(biology());
  await userEvent.click(document.querySelector("[data-close]")!);

  expect(dialog().open).toBe(false);
  expect(document.activeElement).toBe(opener());
  expect(document.querySelector("aside")?.contains(biology())).toBe(true);
  expect(biology().checked).toBe(false);

  opener().focus();
  await userEvent.keyboard(" ");
  expect(dialog().open).toBe(true);
});

it("names how many courses it will show, and how many each box would add", async () => {
  const asked = vi
    .spyOn(globalThis, "fetch")
    .mockResolvedValue(new Response(results("Show 4 courses", "4")));
  startSheet(document.querySelector("form")!, "(max-width: 60em)");
  await userEvent.click(opener());
  await userEvent.click(biology());

  await vi.waitFor(() => expect(counts()).toEqual(["4", "0", "9", "Show 4 courses"]));
  expect(asked).toHaveBeenCalledWith(
    expect.stringMatching(/\/courses\/\?category=biology$/),
    expect.anything(),
  );
  expect(dialog().querySelector("[role=status]")?.textContent).toBe("Show 4 courses");

  dialog().close();
  await vi.waitFor(() => expect(counts()).toEqual(["4", "5", "9", "Show 9 courses"]));
  asked.mockRestore();
});

it("takes over filters that were opened before it was loaded", () => {
  location.hash = "#filters";
  startSheet(document.querySelector("form")!, "(max-width: 60em)");

  expect(dialog().open).toBe(true);
  expect(location.hash).toBe("");
});
