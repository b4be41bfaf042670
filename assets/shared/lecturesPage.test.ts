import { expect, it, vi } from "vitest";

import { refreshLessonRow } from "./lecturesPage";

const outline = (facts: string, end: string): string => `
  <section data-section="s"><span data-facts>${facts}</span><ol>
    <li data-lesson="other"><div class="unit__end"><span class="badge">Empty</span></div></li>
    <li data-lesson="sheet"><div class="unit__end">${end}<details class="menu"></details></div></li>
  </ol></section>`;

it("updates the row of the file and leaves the menus alone", async () => {
  document.body.innerHTML = outline("2 not ready yet", `<span class="badge">Empty</span>`);
  const menu = document.querySelector(".menu");
  const now = outline(
    "1 not ready yet",
    `<span class="badge badge--ok">Ready</span><span class="unit__len">a.txt</span>`,
  );
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(now)));

  await refreshLessonRow("sheet");

  const end = document.querySelector("[data-lesson=sheet] .unit__end");
  expect(end?.textContent).toBe("Readya.txt");
  expect(end?.querySelector(".menu")).toBe(menu);
  expect(document.querySelector("[data-facts]")?.textContent).toBe("1 not ready yet");
  expect(document.querySelector("[data-lesson=other]")?.textContent).toBe("Empty");
});

it("leaves the row unchanged when the page cannot be fetched", async () => {
  document.body.innerHTML = outline("2 not ready yet", `<span class="badge">Empty</span>`);
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("no", { status: 500 })));

  await refreshLessonRow("sheet");

  expect(document.querySelector("[data-lesson=sheet]")?.textContent).toBe("Empty");
});
