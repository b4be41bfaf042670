import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { createQueryClient } from "../../shared/queryClient";
import { type Calls, ChatStore } from "./store";
import { Tutor } from "./Tutor";
import type { Chat, Exchange, TutorStatus } from "./types";

const exchange = {
  uid: "e1",
  position: 1,
  mode: "ask",
  question: "Why does a river bend?",
  created_at: "2026-03-01T10:00:00Z",
  answers: [],
} as unknown as Exchange;
const chat = {
  uid: "c1",
  title: "Rivers",
  course: null,
  lesson: null,
  exchanges: [exchange],
  has_earlier: false,
} as unknown as Chat;
const status = { status: "online", is_search: true, limits: null } as unknown as TutorStatus;

vi.mock("../../shared/auth/AuthProvider", () => ({ useAuth: () => ({ isLoading: false }) }));

let refuses: boolean;
let asked: string[];

beforeEach(() => {
  Element.prototype.scrollIntoView = vi.fn(); // jsdom has none
  sessionStorage.clear();
  refuses = true;
  asked = [];
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json(status)));
});

function open(): HTMLTextAreaElement {
  const calls = {
    ask: (_chat: string, { question }: { question: string }) => {
      asked.push(question);
      if (refuses) return Promise.reject(new Error("Not sent"));
      return Promise.resolve({ ...exchange, uid: `e${asked.length + 1}`, question });
    },
  } as unknown as Calls;
  const store = new ChatStore(calls, "online");
  store.show(chat);
  render(
    <QueryClientProvider client={createQueryClient()}>
      <Tutor
        store={store}
        status={status}
        courses={[]}
        about={{ course: null, lesson: null }}
        focus={0}
      />
    </QueryClientProvider>,
  );
  return screen.getByRole("textbox", { name: "Ask about your courses" });
}

it("puts a question that could not be sent back into the field", async () => {
  const field = open();
  await userEvent.type(field, "What is an oxbow?{Enter}");
  expect(field.value).toBe("");
  await userEvent.type(field, "Another one");
  await userEvent.click(await screen.findByRole("button", { name: /dismiss/i }));

  expect(field.value).toBe("Another one\n\nWhat is an oxbow?");
  expect(document.activeElement).toBe(field);
  expect(sessionStorage.getItem("study.tutor.draft.c1")).toBe(field.value);
});

it("keeps the question that could not be sent when another one is asked", async () => {
  const field = open();
  await userEvent.type(field, "What is an oxbow?{Enter}");
  await screen.findByRole("button", { name: /dismiss/i });
  refuses = false;
  await userEvent.type(field, "What is a delta?{Enter}");

  await waitFor(() => expect(field.value).toBe("What is an oxbow?"));
  expect(asked).toEqual(["What is an oxbow?", "What is a delta?"]);
});

it("gives the focus back to the button that began the change of a question", async () => {
  open();
  const button = screen.getByRole("button", { name: "Edit question" });
  await userEvent.click(button);
  await userEvent.keyboard("{Escape}");

  expect(document.activeElement?.getAttribute("aria-label")).toBe("Edit question");
});
