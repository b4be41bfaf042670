import { beforeEach, expect, it, vi } from "vitest";

import { startSendingCompletions } from "./sendCompletions";

const start = vi.fn();
const load = vi.fn(() => Promise.resolve({ openOutbox: () => ({ start }) as never }));

beforeEach(() => {
  document.body.innerHTML = "";
});

it("sends from any page what was completed without a connection", async () => {
  startSendingCompletions(load);
  expect(load).not.toHaveBeenCalled();

  localStorage.setItem("study.completions.amara", '{"lesson-1":"Grids"}');
  startSendingCompletions(load);
  await vi.waitFor(() => expect(start).toHaveBeenCalledOnce());
});

it("leaves it to pages of text lessons, which do it themselves", () => {
  localStorage.setItem("study.completions.amara", '{"lesson-1":"Grids"}');
  document.body.innerHTML = '<div data-reading-end=""></div>';
  startSendingCompletions(load);

  expect(load).not.toHaveBeenCalled();
});
