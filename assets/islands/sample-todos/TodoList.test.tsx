import { onlineManager, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { createQueryClient } from "../../shared/queryClient";
import { TodoList } from "./TodoList";
import { network, type Todo } from "./todos";

const first: Todo = { uid: "1", title: "Draw the slant", is_done: false };

let onServer: Todo[];
let calls: string[];
/** Ends the answers that are waiting; null: answers are given at once. */
let release: (() => void)[] | null;

beforeEach(() => {
  onServer = [first];
  calls = [];
  release = null;
  network.clearLog();
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname, search } = new URL(request.url);
    calls.push(`${request.method} ${pathname}${search}`);
    const sent = request.method === "GET" ? "" : await request.text();
    if (release && request.method !== "GET")
      await new Promise<void>((resolve) => release?.push(resolve));
    return answer(request.method, pathname, search, sent);
  });
});

afterEach(() => {
  for (const fault of ["slow", "reject", "fail", "offline"] as const)
    network.setFault(fault, false);
});

function answer(method: string, path: string, search: string, sent: string): Response {
  if (search.includes("reject=true")) {
    const problem = { code: "SAMPLE_REJECTED", title: "Rejected", status: 409, detail: "No." };
    return Response.json(problem, { status: 409 });
  }
  const body = (sent === "" ? {} : JSON.parse(sent)) as Partial<Todo>;
  const uid = path.split("/").at(-1) ?? "";
  if (method === "POST") {
    const todo = { uid: String(onServer.length + 1), title: body.title ?? "", is_done: false };
    onServer = [...onServer, todo];
    return Response.json(todo, { status: 201 });
  }
  if (method === "PATCH") {
    onServer = onServer.map((one) => (one.uid === uid ? { ...one, ...body } : one));
    return Response.json(onServer.find((one) => one.uid === uid));
  }
  if (method === "DELETE") {
    onServer = onServer.filter((one) => one.uid !== uid);
    return new Response(null, { status: 204 });
  }
  return Response.json(onServer);
}

function open(at = Date.now()): void {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <TodoList todos={[first]} at={at} />
    </QueryClientProvider>,
  );
}

async function add(title: string): Promise<void> {
  await userEvent.type(screen.getByLabelText("New to-do"), `${title}{Enter}`);
}

it("shows a new to-do before the server answers, and then as saved", async () => {
  release = [];
  open();
  await add("Read the source");

  expect(await screen.findByText("Saving")).toBeDefined();
  expect(screen.queryByRole("checkbox", { name: "Read the source" })).toBeNull();
  await waitFor(() => expect(release).toHaveLength(1));
  act(() => release?.forEach((end) => end()));
  expect(await screen.findByRole("checkbox", { name: "Read the source" })).toBeDefined();
  expect(screen.queryByText("Saving")).toBeNull();
});

it("rolls every second change back and tries it again", async () => {
  open();
  await userEvent.click(screen.getByRole("switch", { name: "Reject every second change" }));
  await add("One");
  await screen.findByRole("checkbox", { name: "One" });
  await add("Two");

  const again = await screen.findByRole("button", { name: "Try again: Two" });
  expect(screen.queryByRole("checkbox", { name: "Two" })).toBeNull();
  expect(screen.getByText(/rolled back: No\./)).toBeDefined();
  await userEvent.click(again);
  expect(await screen.findByRole("checkbox", { name: "Two" })).toBeDefined();
  expect(screen.queryByText(/rolled back/)).toBeNull();
});

it("puts a removed to-do back where it was when the server refuses", async () => {
  open();
  await userEvent.click(screen.getByRole("switch", { name: "Reject every second change" }));
  await userEvent.click(screen.getByRole("checkbox", { name: first.title }));
  await waitFor(() => expect(onServer[0]?.is_done).toBe(true));
  await userEvent.click(await screen.findByRole("button", { name: `Remove “${first.title}”` }));

  expect(await screen.findByText(/rolled back: No\./)).toBeDefined();
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: first.title }).checked).toBe(true);
});

it("queues changes while it is offline and sends them in order", async () => {
  open();
  await userEvent.click(screen.getByRole("switch", { name: "Go offline" }));
  await add("One");
  await add("Two");
  expect(await screen.findByText(/2 changes are queued/)).toBeDefined();
  expect(calls).toEqual([]);

  await userEvent.click(screen.getByRole("switch", { name: "Go offline" }));
  await waitFor(() =>
    expect(onServer.map((one) => one.title)).toEqual([first.title, "One", "Two"]),
  );
  expect(onlineManager.isOnline()).toBe(true);
});

it("reads from the cache while the list is fresh, and refetches on request", async () => {
  open();
  await userEvent.click(screen.getByRole("button", { name: "Read from the cache while fresh" }));
  expect(await screen.findByText("From cache")).toBeDefined();
  expect(calls).toEqual([]);

  await userEvent.click(screen.getByRole("button", { name: "Refetch now" }));
  expect(await screen.findByText(/^200, /)).toBeDefined();
  expect(calls).toEqual(["GET /api/demo-tq-todos"]);
  await userEvent.click(screen.getByRole("button", { name: "Clear" }));
  expect(screen.getByText("No requests yet.")).toBeDefined();
});

it("retries a failed read by itself", async () => {
  open();
  await userEvent.click(screen.getByRole("switch", { name: "Answer reads with an error" }));
  await userEvent.click(screen.getByRole("button", { name: "Refetch now" }));
  expect(await screen.findByText("Retry 1 of 3")).toBeDefined();

  await userEvent.click(screen.getByRole("switch", { name: "Answer reads with an error" }));
  expect(await screen.findByText(/^200, /, {}, { timeout: 5000 })).toBeDefined();
  expect(await screen.findByText(/^Fresh for/)).toBeDefined();
});
