import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { createQueryClient } from "../../shared/queryClient";
import { SharedTodos } from "./SharedTodos";

const first = { uid: "1", title: "Connect a client", is_done: false };

let onServer: (typeof first)[];
let refuses: boolean;

beforeEach(() => {
  onServer = [first];
  refuses = false;
  vi.stubGlobal("fetch", async (request: Request) => {
    const { pathname } = new URL(request.url);
    const uid = pathname.split("/").at(-1);
    if (request.method === "GET") return Response.json(onServer);
    if (refuses) {
      const problem = { code: "SAMPLE_LIMIT_REACHED", title: "Full", status: 409, detail: "Full." };
      return Response.json(problem, { status: 409 });
    }
    if (request.method === "DELETE") {
      onServer = onServer.filter((one) => one.uid !== uid);
      return new Response(null, { status: 204 });
    }
    const sent = (await request.json()) as Partial<typeof first>;
    if (request.method === "PATCH") {
      onServer = onServer.map((one) => (one.uid === uid ? { ...one, ...sent } : one));
      return Response.json(onServer.find((one) => one.uid === uid));
    }
    const added = { uid: String(onServer.length + 1), title: sent.title ?? "", is_done: false };
    onServer = [...onServer, added];
    return Response.json(added, { status: 201 });
  });
});

function open(): void {
  render(
    <QueryClientProvider client={createQueryClient()}>
      <SharedTodos todos={[first]} at={Date.now()} />
    </QueryClientProvider>,
  );
}

it("shows what a client adds without being asked", async () => {
  open();
  onServer = [...onServer, { uid: "9", title: "From the assistant", is_done: false }];

  expect(
    await screen.findByRole("checkbox", { name: "From the assistant" }, { timeout: 4000 }),
  ).toBeDefined();
});

it("adds, marks and removes", async () => {
  open();
  await userEvent.type(screen.getByLabelText("New to-do"), "Read the source{Enter}");
  await userEvent.click(await screen.findByRole("checkbox", { name: "Read the source" }));
  await waitFor(() => expect(onServer[1]?.is_done).toBe(true));
  await userEvent.click(screen.getByRole("button", { name: `Remove “${first.title}”` }));
  await waitFor(() => expect(screen.queryByRole("checkbox", { name: first.title })).toBeNull());
  expect(screen.getByLabelText<HTMLInputElement>("New to-do").value).toBe("");
});

it("keeps what was typed if the server refuses", async () => {
  refuses = true;
  open();
  await userEvent.type(screen.getByLabelText("New to-do"), "One more{Enter}");

  expect(await screen.findByText(/Full/)).toBeDefined();
  expect(screen.getByLabelText<HTMLInputElement>("New to-do").value).toBe("One more");
});
