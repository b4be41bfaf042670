import { expect, it, vi } from "vitest";

import { createButton, element, openDialog } from "./dialog";

function open(options: Partial<Parameters<typeof openDialog>[0]> = {}): HTMLDialogElement {
  return openDialog({ title: "Delete it?", body: [element("p", "", "Really.")], ...options });
}

const press = (target: Element): boolean =>
  target.dispatchEvent(new Event("pointerdown", { bubbles: true }));

it("names the dialog by its title and focuses the given button", () => {
  const safe = createButton("btn", "Cancel");
  const dialog = open({ actions: [safe], focus: safe });

  expect(document.getElementById(dialog.getAttribute("aria-labelledby")!)!.textContent).toBe(
    "Delete it?",
  );
  expect(document.activeElement).toBe(safe);
});

it("is removed, returns the focus and says so when its cross is pressed", () => {
  document.body.innerHTML = "<button>Delete</button>";
  const opener = document.querySelector("button")!;
  opener.focus();
  const onClose = vi.fn();
  const dialog = open({ onClose });
  dialog.querySelector<HTMLElement>("[aria-label=Close]")!.click();

  expect(dialog.isConnected).toBe(false);
  expect(document.activeElement).toBe(opener);
  expect(onClose).toHaveBeenCalledOnce();
});

it.each([true, false])("closes on a press outside, not inside, if it may: %s", (closesOutside) => {
  const dialog = open({ closesOutside });
  press(dialog.querySelector("p")!);
  expect(dialog.open).toBe(true);
  press(dialog);
  expect(dialog.open).toBe(!closesOutside);
});
