import { beforeEach, expect, it, vi } from "vitest";

import { startForms } from "./forms";
import { readAppearance } from "../shared/appearance";
import { startAppearanceForm } from "./settings";

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
