import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, it } from "vitest";

import { startMenus } from "./menus";

beforeAll(startMenus);

beforeEach(() => {
  document.body.innerHTML = `
    <details class="menu" id="account"><summary>Account</summary>
      <a href="#profile">Profile</a><a href="#files">Files</a><button type="button">Sign out</button>
    </details>
    <details class="menu" id="theme"><summary>Theme</summary>
      <input type="radio" name="t" value="light" checked><input type="radio" name="t" value="dark">
    </details>
    <details class="menu" id="sheet" data-sheet><summary>Menu</summary>
      <input type="search"><a href="#courses">Courses</a>
    </details>
    <button type="button" id="elsewhere">Elsewhere</button>`;
});

const menu = (id: string): HTMLDetailsElement => document.querySelector(`#${id}`)!;
const summary = (id: string): HTMLElement => document.querySelector(`#${id} > summary`)!;
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

async function open(id: string): Promise<void> {
  summary(id).focus();
  menu(id).open = true;
  await settled();
}

it("closes on Escape and gives the focus back", async () => {
  await open("account");
  await userEvent.keyboard("{ArrowDown}{Escape}");

  expect(menu("account").open).toBe(false);
  expect(document.activeElement).toBe(summary("account"));
});

it("closes on a press outside and leaves the focus to the pressed element", async () => {
  await open("account");
  await userEvent.click(document.querySelector("#elsewhere")!);

  expect(menu("account").open).toBe(false);
  expect(document.activeElement?.id).toBe("elsewhere");
});

it("stays open for a press inside", async () => {
  await open("theme");
  await userEvent.click(document.querySelector("input[value=dark]")!);

  expect(menu("theme").open).toBe(true);
});

it("closes when another menu opens", async () => {
  await open("account");
  await open("theme");

  expect(menu("account").open).toBe(false);
  expect(menu("theme").open).toBe(true);
});

it("opens with arrow down and moves with arrows, Home and End, wrapping around", async () => {
  summary("account").focus();
  await userEvent.keyboard("{ArrowDown}");
  const seen = [document.activeElement?.textContent];
  for (const key of ["ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Home", "End"]) {
    await userEvent.keyboard(`{${key}}`);
    seen.push(document.activeElement?.textContent);
  }

  expect(menu("account").open).toBe(true);
  expect(seen).toEqual([
    "Profile",
    "Files",
    "Sign out",
    "Profile",
    "Sign out",
    "Profile",
    "Sign out",
  ]);
});

it("leaves the arrows to radio buttons", async () => {
  await open("theme");
  const radio = document.querySelector<HTMLElement>("input[value=light]")!;
  const key = new KeyboardEvent("keydown", { key: "ArrowDown", bubbles: true, cancelable: true });
  radio.focus();
  radio.dispatchEvent(key);

  expect(key.defaultPrevented).toBe(false);
  expect(document.activeElement).toBe(radio);
});

it("closes when the focus leaves it", async () => {
  await open("account");
  await userEvent.keyboard("{End}{Tab}");

  expect(menu("account").open).toBe(false);
});

it("closes on a link and gives the focus back to the toggle", async () => {
  await open("sheet");
  await userEvent.click(document.querySelector("#sheet a")!);

  expect(menu("sheet").open).toBe(false);
  expect(document.activeElement).toBe(summary("sheet"));
});

it("locks the page behind a sheet, and only then", async () => {
  await open("account");
  expect(document.documentElement.style.overflow).toBe("");

  await open("sheet");
  expect(document.documentElement.style.overflow).toBe("hidden");

  await userEvent.keyboard("{Escape}");
  await settled();
  expect(document.documentElement.style.overflow).toBe("");
});
