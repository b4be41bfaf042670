import { act, render, screen } from "@testing-library/react";
import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { beforeEach, expect, it, vi } from "vitest";

import { ApiError, makeError, problemOf } from "./api/errors";
import { NotAuthenticated } from "./auth/session";
import { createQueryClient, retryDelay } from "./queryClient";
import { QueryPanel } from "./ui/QueryPanel";

beforeEach(() => {
  vi.useFakeTimers();
});

function Thing({ load }: { load: () => Promise<string> }) {
  const query = useQuery({ queryKey: ["thing"], queryFn: load });
  return (
    <QueryPanel query={query} shapes={<i className="skel" />}>
      {(thing) => <p>{thing}</p>}
    </QueryPanel>
  );
}

function show(load: () => Promise<string>) {
  const client = createQueryClient();
  const view = render(
    <QueryClientProvider client={client}>
      <Thing load={load} />
    </QueryClientProvider>,
  );
  return { client, ...view };
}
async function tick(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}

it("waits 1, 2, 4 seconds and so on, at most 30", () => {
  expect([0, 1, 2, 3, 4, 5, 9].map((attempt) => retryDelay(attempt))).toEqual([
    1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

it("waits as long as Retry-After says, at most 30 seconds", () => {
  const asks = (seconds: number): ApiError => new ApiError(503, problemOf("SERVER_ERROR"), seconds);

  expect(retryDelay(0, asks(7))).toBe(7000);
  expect(retryDelay(0, asks(600))).toBe(30_000);
});

it("retries three times with growing delays, then shows the error", async () => {
  const load = vi.fn(() => Promise.reject(makeError("SERVER_ERROR")));
  show(load);
  await tick(0);
  const calls = [load.mock.calls.length];
  for (const wait of [999, 1, 1999, 1, 3999, 1]) {
    await tick(wait);
    calls.push(load.mock.calls.length);
  }

  expect(calls).toEqual([1, 1, 2, 2, 3, 3, 4]);
  await tick(10);
  expect(screen.getByRole("alert")).toBeDefined();
});

it.each([
  ["a refusal", new ApiError(403, problemOf("ENROLLMENT_REQUIRED", 403, { course: "Algebra" }))],
  ["a missing thing", new ApiError(404, problemOf("NOT_FOUND", 404))],
  ["too many calls", new ApiError(429, problemOf("RATE_LIMIT_EXCEEDED", 429))],
  ["a visitor", new NotAuthenticated()],
])("does not repeat %s", async (_, error) => {
  const load = vi.fn(() => Promise.reject(error));
  show(load);
  await tick(9000);

  expect(load).toHaveBeenCalledOnce();
});

it("caches unused data for five minutes", async () => {
  const { client, unmount } = show(() => Promise.resolve("kept"));
  await tick(0);
  unmount();
  await tick(5 * 60_000 - 1);
  expect(client.getQueryData(["thing"])).toBe("kept");

  await tick(1);
  expect(client.getQueryData(["thing"])).toBeUndefined();
});

it("retries after a countdown and shows the data", async () => {
  let isBroken = true;
  show(() => (isBroken ? Promise.reject(makeError("SERVER_ERROR")) : Promise.resolve("Here")));
  await tick(7050);
  expect(screen.getByText("Retrying in 10 s")).toBeDefined();

  isBroken = false;
  await tick(10_050);
  expect(screen.getByText("Here")).toBeDefined();
  expect(screen.queryByRole("alert")).toBeNull();
});

it("keeps the panel during a retry", async () => {
  show(() => Promise.reject(makeError("SERVER_ERROR")));
  await tick(7050);
  await tick(10_500); // in the middle of the next round of tries

  expect(screen.getByRole("alert")).toBeDefined();
});
