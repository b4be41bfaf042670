import { beforeEach, expect, it, vi } from "vitest";

import { DELAYS_MS, watchProcessing } from "./watchProcessing";

const page = (mark: string, badge: string, check: string, off: string): string => `
  <section data-section="s"><span data-facts>1 lesson</span><ol>
    <li data-lesson="film"${mark}><a data-title>Hares waking</a>
      <div class="unit__end"><span class="badge">${badge}</span></div></li>
  </ol></section>
  <ul data-checks><li>${check}</li></ul>
  <textarea></textarea><div data-ready><button ${off}>Submit for review</button></div>
  <p data-live="polite"></p>`;
const made = page("", "Ready", "Every video is ready", "");

let asked: number;
let answer: () => Promise<Response>;

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = page(
    " data-processing",
    "Processing",
    "A video is on its way",
    "disabled",
  );
  asked = 0;
  answer = () => Promise.resolve(new Response(made));
  vi.stubGlobal("fetch", () => {
    asked += 1;
    return answer();
  });
});

it("announces a processed video and keeps text that is being typed", async () => {
  document.querySelector("textarea")!.value = "Dear reviewer";
  watchProcessing();
  await vi.advanceTimersByTimeAsync(DELAYS_MS[0]!);

  expect(document.querySelector(".badge")?.textContent).toBe("Ready");
  expect(document.querySelector("[data-checks]")?.textContent).toBe("Every video is ready");
  expect(document.querySelector("button")?.disabled).toBe(false);
  expect(document.querySelector("textarea")?.value).toBe("Dear reviewer");
  expect(document.querySelector("[data-live]")?.textContent).toBe("Hares waking: Ready");

  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(1);
});

it("tries again after a failure, less often over time", async () => {
  answer = () => Promise.reject(new TypeError("Failed to fetch"));
  watchProcessing();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toBeGreaterThan(10);
  expect(asked).toBeLessThan(30);

  answer = () => Promise.resolve(new Response(made));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(document.querySelector(".badge")?.textContent).toBe("Ready");
});

it("asks once for all videos, also if watching starts twice", async () => {
  let free: (page: Response) => void = () => undefined;
  answer = () => new Promise((resolve) => (free = resolve));
  watchProcessing();
  watchProcessing(); // two uploads have ended together
  await vi.advanceTimersByTimeAsync(DELAYS_MS[0]!);
  expect(asked).toBe(1);
  watchProcessing(); // another one ends while the page is on its way
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(1);
  free(new Response(document.body.innerHTML));
  await vi.advanceTimersByTimeAsync(DELAYS_MS[0]!);
  expect(asked).toBe(2);
  free(new Response(made));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBe(2);
});

it("requests nothing while no video is being processed", async () => {
  document.body.innerHTML = made;
  watchProcessing();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(asked).toBe(0);
});
