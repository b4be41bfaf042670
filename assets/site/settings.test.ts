import { beforeEach, expect, it, vi } from "vitest";

import { startForms } from "./forms";
import { readAppearance } from "../shared/appearance";
import { sectionOfFragment, startAppearanceForm } from "./settings";

beforeEach(() => {
  document.body.innerHTML = `<form method="post" data-look-form><input name="theme" value="dark">
    <input name="style" value="corporate"><button>Save</button></form>`;
});

it("applies the appearance that is sent, but not one whose form was prevented", () => {
  startForms();
  startAppearanceForm();
  addEventListener("submit", (event) => event.preventDefault()); // jsdom cannot navigate
  const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  document.querySelector("button")!.click();
  expect(readAppearance()).toEqual({ theme: "light", style: "academic" });

  online.mockReturnValue(true);
  document.querySelector("button")!.click();
  expect(readAppearance()).toEqual({ theme: "dark", style: "corporate" });
});

it("leads links with a section in the fragment to the page of the section, and no others", () => {
  document.body.innerHTML = `<nav data-sideindex><ul><li><a href="/settings/goals">Goals</a></li></ul></nav>`;
  const at = (address: string): string | null =>
    sectionOfFragment(new URL(address, location.origin) as unknown as Location);

  expect(at("/settings/#goals")).toBe("/settings/goals");
  expect(at("/settings#goals")).toBe("/settings/goals");
  for (const other of ["/settings/", "/settings/#nothing", "/settings/#", "/settings/goals#goals"])
    expect(at(other)).toBeNull();
});
