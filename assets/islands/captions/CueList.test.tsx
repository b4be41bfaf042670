import { act, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";

import { CueList, type ListHandle } from "./CueList";
import { newCue } from "./cues";

it("draws a few rows of 2,000, and always the current one", () => {
  const cues = Array.from({ length: 2_000 }, (_, at) => newCue(at, at + 1, `Text ${at}`));
  const handle: { current: ListHandle | null } = { current: null };
  const list = (current: string | null) => (
    <CueList
      cues={cues}
      current={current}
      label="Captions"
      handle={handle}
      renderRow={(at) => cues[at]?.text}
    />
  );
  const { rerender } = render(list(null));
  const rows = (): (string | null)[] => screen.getAllByText(/^Text/).map((row) => row.textContent);
  expect(rows().length).toBeLessThan(40);
  expect(rows()[0]).toBe("Text 0");

  rerender(list(cues[1_500]?.id ?? null));
  expect(rows()).toContain("Text 1500");
  expect(screen.getByText("Text 1500").getAttribute("aria-posinset")).toBe("1501");
  act(() => handle.current?.show(cues[1_500]?.id ?? ""));
  expect(rows()).toContain("Text 1505");
  expect(rows().length).toBeLessThan(40);
});
