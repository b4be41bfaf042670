import { expect, it, vi } from "vitest";

import { startCountdownButtons } from "./countdownButtons";

it("is enabled when the time is over, and shows how long that is", () => {
  vi.useFakeTimers();
  document.body.innerHTML = `<button data-wait="2" data-wait-text="Available in {seconds} s">Send again</button>`;
  startCountdownButtons();
  const button = document.querySelector("button")!;

  expect(button.disabled).toBe(true);
  expect(document.body.textContent).toContain("Available in 2 s");
  vi.advanceTimersByTime(1000);
  expect(document.body.textContent).toContain("Available in 1 s");
  vi.advanceTimersByTime(1000);
  expect(button.disabled).toBe(false);
  expect(document.body.textContent).toBe("Send again");
  vi.useRealTimers();
});
