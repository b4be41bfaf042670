import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { AutomaticResult } from "./api";
import * as api from "./api";
import { AutomaticLine } from "./AutomaticLine";
import { type Automatic, useAutomatic } from "./useAutomatic";

const row = (part: Partial<AutomaticResult> = {}): AutomaticResult => ({
  uid: "one",
  kind: "translation",
  state: "waiting",
  percent: 40,
  language: "de",
  source_language: "en",
  failure: "",
  failure_label: "",
  created_at: "2026-03-01T00:00:00Z",
  cues: [],
  texts: ["Ja", null],
  originals: ["Yes", "No"],
  ...part,
});

let automatic: Automatic;
const taken: AutomaticResult[] = [];

function Probe() {
  automatic = useAutomatic("video", "translation", "de", (result) => taken.push(result) > 0);
  return (
    <AutomaticLine
      automatic={automatic}
      label="Translating"
      offer={{ sentence: "2 came back", button: "Add them" }}
    />
  );
}

async function opened(rows: AutomaticResult[]): Promise<void> {
  vi.spyOn(api, "listAutomatic").mockResolvedValue(rows);
  render(<Probe />);
  await act(() => vi.advanceTimersByTimeAsync(1));
}

/** Press a button, and let what it began end. */
async function press(name: string): Promise<void> {
  screen.getByRole("button", { name }).click();
  await act(() => vi.advanceTimersByTimeAsync(1));
}

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.removeItem("study.captions.taken");
  taken.length = 0;
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

it("shows how far it is, waits while the network is lost, and takes the result", async () => {
  const answers = vi
    .spyOn(api, "fetchAutomatic")
    .mockRejectedValueOnce(new TypeError("lost"))
    .mockResolvedValueOnce(row({ percent: 70 }))
    .mockResolvedValue(row({ state: "done" }));
  await opened([row()]);
  expect(screen.getByRole("progressbar", { name: "Translating" }).ariaValueNow).toBe("40");
  await act(() => vi.advanceTimersByTimeAsync(2_000 + 6_000));
  expect(screen.getByText("70%")).toBeTruthy();
  await act(() => vi.advanceTimersByTimeAsync(2_000));
  expect(taken.map(({ state }) => state)).toEqual(["done"]);
  expect(answers).toHaveBeenCalledTimes(3);
  expect(screen.queryByRole("progressbar")).toBeNull();
});

it("takes what has come back when it is canceled, and says why it failed", async () => {
  const cancel = vi.spyOn(api, "cancelAutomatic").mockResolvedValue();
  vi.spyOn(api, "fetchAutomatic").mockResolvedValue(row({ state: "canceled" }));
  await opened([]);
  await act(() => automatic.start(() => Promise.resolve({ uid: "one" })));
  await press("Cancel");
  expect(cancel).toHaveBeenCalledWith("one");
  expect(taken[0]?.texts).toEqual(["Ja", null]);

  await act(() => automatic.start(() => Promise.reject(new Error("x"))));
  expect(screen.getByRole("alert").textContent).toContain("Close");
  await press("Close");
  expect(screen.queryByRole("alert")).toBeNull();
});

it("offers once what came back while the page was closed", async () => {
  vi.spyOn(api, "fetchAutomatic").mockResolvedValue(row({ state: "done" }));
  await opened([row({ state: "done" })]);
  expect(taken).toEqual([]);
  await press("Add them");
  expect(taken).toHaveLength(1);
  expect(screen.queryByText("2 came back")).toBeNull();
  expect(localStorage.getItem("study.captions.taken")).toBe('["one"]');
});
