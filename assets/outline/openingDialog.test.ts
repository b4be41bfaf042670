import { expect, it, vi } from "vitest";

import { askWhenLessonsOpen } from "./openingDialog";

it("keeps the date for those who pass the days with the Tab key", () => {
  const onSet = vi.fn();
  askWhenLessonsOpen(2, "Europe/Lisbon", onSet);
  const dialog = document.querySelector("dialog")!;
  const [date, days] = dialog.querySelectorAll<HTMLInputElement>("input:not([type=radio])");
  const press = (): void =>
    [...dialog.querySelectorAll("button")].find((one) => one.textContent === "Set")!.click();
  date!.value = "2027-01-04T09:00";
  days!.focus();
  press();
  expect(onSet).toHaveBeenCalledWith({ opens_at: "2027-01-04T09:00" });

  days!.value = "3";
  days!.dispatchEvent(new Event("input", { bubbles: true }));
  press();
  expect(onSet).toHaveBeenLastCalledWith({ opens_after_days: 3 });
});
