import userEvent from "@testing-library/user-event";
import { expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { startCopyAndPrint } from "./copyAndPrint";

forgetListenersAfterEach();

it("copies an element that was added later, with a line for each item of a list", async () => {
  const person = userEvent.setup();
  startCopyAndPrint();
  document.body.innerHTML = `<ul id="codes"><li> one </li><li>two</li></ul>
    <button data-copy="codes" data-copied="Copied"><svg></svg>Copy</button>`;
  const button = document.querySelector("button")!;
  await person.click(button);

  expect(await navigator.clipboard.readText()).toBe("one\ntwo");
  await vi.waitFor(() => expect(button.textContent).toBe("Copied"));
});

it("prints the page", async () => {
  const print = vi.fn();
  vi.stubGlobal("print", print);
  startCopyAndPrint();
  document.body.innerHTML = "<button data-print>Print</button>";
  await userEvent.click(document.querySelector("button")!);

  expect(print).toHaveBeenCalledOnce();
});
