import { expect, it, vi } from "vitest";

import { followWaiting } from "./waiting";

it("shows the progress, tries again after a failure, and loads the page when the wait is over", async () => {
  vi.useFakeTimers();
  document.body.innerHTML = "<div data-waits>0%</div>";
  const place = document.querySelector("[data-waits]")!;
  const answers = [
    () => Promise.resolve(new Response("<div data-waits>40%</div>", { status: 202 })),
    () => Promise.reject(new Error("offline")),
    () => Promise.resolve(new Response("", { status: 200 })),
  ];
  vi.stubGlobal("fetch", () => answers.shift()!());
  const reload = vi.fn();
  followWaiting(place, reload);
  await vi.advanceTimersByTimeAsync(4500);
  expect(place.textContent).toBe("40%");
  expect(reload).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2000);
  expect(reload).toHaveBeenCalledOnce();
  vi.useRealTimers();
});
