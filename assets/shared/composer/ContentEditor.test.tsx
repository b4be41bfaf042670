import { QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import { useState } from "react";
import { expect, it, vi } from "vitest";

import { createQueryClient } from "../queryClient";
import { ContentEditor } from "./ContentEditor";

const content = {
  course: { slug: "statics", place: "description" as const },
  most: 100,
  limit: 1000,
  endpoint: "/api/v1/uploads/",
  nonce: "",
};

let isBehind: boolean;
let setFromOutside: (value: string) => void;
const told = vi.fn<(value: string) => void>();

function Parent({ first }: { first: string }) {
  const [value, setValue] = useState(first);
  setFromOutside = setValue;
  return (
    <ContentEditor
      id="description"
      content={content}
      label="Description"
      value={value}
      onChange={(text) => {
        told(text);
        if (!isBehind) setValue(text);
      }}
    />
  );
}

async function open(first: string): Promise<{ field: HTMLTextAreaElement; text: HTMLElement }> {
  told.mockClear();
  isBehind = false;
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Parent first={first} />
    </QueryClientProvider>,
  );
  const field = screen.getByLabelText<HTMLTextAreaElement>("Description");
  act(() => field.focus());
  const text = await vi.waitFor(() => {
    const found = document.querySelector<HTMLElement>(".cm-content");
    if (!found) throw new Error("not loaded");
    return found;
  }, 10_000);
  return { field, text };
}

it("is a textarea until it is focused, and tells what is written", async () => {
  const { field, text } = await open("one");
  expect(document.activeElement).toBe(text);
  expect(screen.getByRole("toolbar", { name: "Formatting" })).toBeDefined();
  act(() => screen.getByRole("button", { name: "Bold" }).click());

  expect(told).toHaveBeenLastCalledWith(field.value);
  expect(field.value).toContain("****");
  expect(screen.getByText("7 of 100")).toBeDefined();
});

it("takes over another's text without telling it back", async () => {
  const { field, text } = await open("one\n\ntwo");
  act(() => setFromOutside("one\n\nnew\n\ntwo"));

  expect(field.value).toBe("one\n\nnew\n\ntwo");
  expect(text.textContent).toContain("new");
  expect(told).not.toHaveBeenCalled();
  act(() => setFromOutside("one\n\ntwo")); // it may be what it was before
  expect(field.value).toBe("one\n\ntwo");
});

it("keeps what is typed while its parent is behind", async () => {
  const { field } = await open("one");
  isBehind = true;
  act(() => screen.getByRole("button", { name: "List" }).click());
  act(() => screen.getByRole("button", { name: "Quote" }).click());
  const [[first], [second]] = told.mock.calls as [[string], [string]];
  expect(field.value).toBe(second);

  act(() => setFromOutside(first)); // late
  expect(field.value).toBe(second);
  act(() => setFromOutside(second));
  expect(field.value).toBe(second);
});
