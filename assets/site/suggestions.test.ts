import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { startSearch } from "./search";
import { suggestFor } from "./suggestions";

const OPTIONS = ["rivers", "river-banks"]
  .map((slug) => `<a role="option" tabindex="-1" aria-selected="false" href="#${slug}">${slug}</a>`)
  .join("");
const ask = vi.fn<(text: string, signal: AbortSignal) => Promise<string>>();
const searched = vi.fn<() => void>();
const followed = vi.fn<(href: string | null) => void>();

Element.prototype.scrollIntoView = vi.fn(); // jsdom lays nothing out

beforeEach(() => {
  location.hash = "";
  for (const mock of [ask, searched, followed]) mock.mockReset();
  ask.mockImplementation((text) => Promise.resolve("rivers".startsWith(text) ? OPTIONS : ""));
  document.body.innerHTML = `
    <form data-search action="/courses/"><label for="q">Search courses</label><input id="q" name="q" type="search"></form>
    <button type="button">Elsewhere</button>`;
  document.querySelector("form")?.addEventListener("submit", (event) => {
    event.preventDefault(); // jsdom cannot navigate
    searched();
  });
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a") : null;
    if (link) followed(link.getAttribute("href"));
  });
  suggestFor(box(), "q-suggestions", ask);
  box().setAttribute("aria-expanded", "false");
});

const box = (): HTMLInputElement => document.querySelector("input")!;
const list = (): HTMLElement => document.querySelector("[role=listbox]")!;
const selected = (): string | undefined =>
  list().querySelector("[aria-selected=true]")?.textContent;
const isOpen = (): boolean => {
  expect(box().getAttribute("aria-expanded")).toBe(String(!list().hidden));
  return !list().hidden;
};

async function type(text: string): Promise<void> {
  await userEvent.type(box(), text);
  await vi.waitFor(() => expect(ask).toHaveBeenCalled());
  await vi.waitFor(() => expect(isOpen()).toBe(true));
}

it("shows suggestions after a pause, and requests them once for a text", async () => {
  await type("riv");

  expect(ask).toHaveBeenCalledTimes(1);
  expect(ask.mock.calls[0]?.[0]).toBe("riv");
  expect(list().children).toHaveLength(2);
  expect(selected()).toBeUndefined();

  await userEvent.type(box(), "e{Backspace}");
  expect(isOpen()).toBe(true);
  expect(ask).toHaveBeenCalledTimes(1);
});

it("goes through the options with the arrow keys, names the active one, and opens it with Enter", async () => {
  await type("ri");

  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  expect(selected()).toBe("river-banks");
  expect(document.getElementById(box().getAttribute("aria-activedescendant")!)?.textContent).toBe(
    "river-banks",
  );
  expect(document.activeElement).toBe(box());
  await userEvent.keyboard("{ArrowDown}");
  expect(selected()).toBeUndefined();
  expect(box().hasAttribute("aria-activedescendant")).toBe(false);
  await userEvent.keyboard("{ArrowUp}");
  expect(selected()).toBe("river-banks");

  await userEvent.keyboard("{Enter}");
  expect(followed).toHaveBeenLastCalledWith("#river-banks");
  expect(searched).not.toHaveBeenCalled();
  expect(isOpen()).toBe(false);
});

it("searches with Enter while no option is active", async () => {
  await type("ri");
  await userEvent.keyboard("{Enter}");

  expect(searched).toHaveBeenCalledTimes(1);
  expect(isOpen()).toBe(false);
});

it("closes with Escape, keeps the text, and leaves the menu around it open", async () => {
  const outside = vi.fn();
  document.addEventListener("keydown", outside, { once: true });
  await type("ri");
  outside.mockReset();
  document.addEventListener("keydown", outside);

  await userEvent.keyboard("{Escape}");
  expect(isOpen()).toBe(false);
  expect(box().value).toBe("ri");
  expect(outside).not.toHaveBeenCalled();

  await userEvent.keyboard("{ArrowDown}");
  expect(isOpen()).toBe(true);
  document.removeEventListener("keydown", outside);
});

it("closes when the focus leaves, and opens an option that is pressed", async () => {
  await type("ri");
  await userEvent.click(list().querySelector("a")!);
  expect(followed).toHaveBeenLastCalledWith("#rivers");

  await userEvent.tab();
  expect(isOpen()).toBe(false);
});

it.each(["r", "  ", "zz"])("shows nothing for %j", async (text) => {
  await userEvent.type(box(), text);
  await new Promise((resolve) => setTimeout(resolve, 200));

  expect(isOpen()).toBe(false);
});

it("leaves the box unchanged when the request fails", async () => {
  ask.mockRejectedValue(new Error("offline"));
  await userEvent.type(box(), "ri");
  await vi.waitFor(() => expect(ask).toHaveBeenCalled());

  expect(isOpen()).toBe(false);
  await userEvent.keyboard("{Enter}");
  expect(searched).toHaveBeenCalledTimes(1);
});

it("makes every search box a combobox at once, and loads the code with the first key", async () => {
  const suggest = vi.fn<typeof suggestFor>();
  const load = vi.fn(() => Promise.resolve({ suggestFor: suggest }));
  startSearch(load);

  expect(box().getAttribute("role")).toBe("combobox");
  expect(box().getAttribute("aria-controls")).toBe("q-suggestions");
  expect(load).not.toHaveBeenCalled();

  await userEvent.type(box(), "riv");
  expect(load).toHaveBeenCalledTimes(1);
  expect(suggest).toHaveBeenCalledExactlyOnceWith(box(), "q-suggestions");
});
