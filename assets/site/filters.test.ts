import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { startFilters } from "./filters";

const submitted = vi.fn<(query: string) => void>();
const wide = window.matchMedia;

beforeEach(() => {
  submitted.mockReset();
  window.scrollTo = vi.fn();
  document.body.innerHTML = `
    <form id="f" action="/courses/" data-auto-submit>
      <input type="checkbox" name="category" value="biology" aria-label="Biology">
      <details><summary>More</summary><input type="checkbox" name="category" value="music" aria-label="Music"></details>
    </form>
    <select name="sort" form="f" aria-label="Sort"><option>a</option><option>b</option></select>`;
  document.querySelector("form")?.addEventListener("submit", (event) => {
    event.preventDefault(); // jsdom cannot navigate
    submitted(
      new URLSearchParams(new FormData(event.target as HTMLFormElement) as never).toString(),
    );
  });
});

afterEach(() => {
  window.matchMedia = wide;
});

it("asks for the results at each change, whether inside the form or bound to it", async () => {
  startFilters();

  await userEvent.click(document.querySelector("[value=biology]")!);
  expect(submitted).toHaveBeenLastCalledWith("category=biology&sort=a");

  await userEvent.selectOptions(document.querySelector("select")!, "b");
  expect(submitted).toHaveBeenLastCalledWith("category=biology&sort=b");
});

it("announces the results of a change, as the changed box has the focus", async () => {
  startFilters();
  await userEvent.click(document.querySelector("[value=biology]")!);
  document.body.insertAdjacentHTML(
    "beforeend",
    "<p data-found><b>3 courses</b>\n in 2 categories</p>",
  );

  startFilters();
  expect(document.querySelector("[data-live=polite]")!.textContent).toBe(
    "3 courses in 2 categories",
  );
});

it("announces nothing on a page that no change has led to", () => {
  document.body.insertAdjacentHTML("beforeend", "<p data-found>3 courses</p>");

  startFilters();
  expect(document.querySelector("[data-live=polite]")).toBeNull();
});

it("focuses the changed box, also in a closed section", async () => {
  startFilters();
  await userEvent.click(document.querySelector("[value=music]")!);

  startFilters(); // the page that answers

  expect(document.activeElement).toBe(document.querySelector("[value=music]"));
  expect(document.querySelector("details")?.open).toBe(true);
  expect(sessionStorage.length).toBe(0);
});

it("shows the filters of the address on the way back", async () => {
  startFilters();
  const biology = document.querySelector<HTMLInputElement>("[value=biology]")!;
  await userEvent.click(biology);

  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));

  expect(biology.checked).toBe(false);
});

it("waits for the button while the filters are a dialog", async () => {
  window.matchMedia = (query) =>
    Object.assign(new EventTarget(), { matches: true, media: query }) as MediaQueryList;
  startFilters();

  await userEvent.click(document.querySelector("[value=biology]")!);
  expect(submitted).not.toHaveBeenCalled();
});
