import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";

import { AnswerView } from "./AnswerView";
import type { ChatStore } from "./store";
import { type Answer, type Exchange, type State, statusAfter } from "./types";

vi.mock("../../shared/auth/AuthProvider", () => ({ useAuth: () => ({ isLoading: false }) }));

const states: State[] = ["waiting", "streaming", "finished", "stopped", "interrupted", "failed"];
const reasons = [
  "",
  "AI_CONTENT_FILTERED",
  "AI_MISUNDERSTOOD",
  "AI_CONTEXT_TOO_LONG",
  "AI_UNAVAILABLE",
  "AI_OVERLOADED",
  "AI_TECHNICAL_ERROR",
  "AI_TURNED_OFF",
  "AI_ANSWER_WITHHELD",
  "A_CODE_OF_A_LATER_VERSION",
];

function show(change: Partial<Answer>): string {
  const answer = {
    uid: "a1",
    number: 1,
    state: "finished",
    kind: "",
    text: "",
    html: "",
    error: null,
    note: "",
    provider: "search",
    is_search: true,
    rating: null,
    citations: [],
    cards: [],
    follow_ups: [],
    ...change,
  };
  const exchange = {
    uid: "e1",
    position: 1,
    question: "?",
    answers: [answer],
  } as unknown as Exchange;
  const { container, unmount } = render(
    <AnswerView
      exchange={exchange}
      text={undefined}
      store={{} as ChatStore}
      isLast
      isBusy={false}
      onCite={() => undefined}
      onAsk={() => undefined}
    />,
  );
  const shown = container.textContent;
  unmount();
  return shown;
}
const failure = (code: string) => ({
  code,
  title: `Title of ${code}`,
  detail: "What to do",
  params: {},
});

it("shows every state with every reason", () => {
  for (const state of states)
    for (const code of reasons) {
      const isOpen = state === "waiting" || state === "streaming";
      if (code !== "" && !isOpen) {
        const shown = show({ state, error: failure(code) });
        expect(shown).toContain(`Title of ${code}`);
        expect(shown).toContain("What to do");
      } else if (state === "stopped" || state === "interrupted") {
        expect(show({ state, note: "A note" })).toContain("A note");
      } else if (!isOpen)
        expect(show({ state, note: "A note", text: "x", html: "<p>x</p>" })).toContain("A note");
    }
});

it("offers no retry for a question that is refused, and one for a failure", () => {
  expect(show({ kind: "filtered", error: failure("AI_CONTENT_FILTERED") })).not.toMatch(
    /again|now/i,
  );
  expect(show({ state: "failed", error: failure("AI_TECHNICAL_ERROR") })).toContain("Try again");
  expect(screen.queryByRole("alert")).toBeNull();
});

it("takes a refused question for no failure of the tutor", () => {
  const after = (code: string) => statusAfter({ error: failure(code) } as Answer);
  expect(reasons.slice(1).map(after)).toEqual([
    "online",
    "online",
    "online",
    "offline",
    "error",
    "error",
    "online",
    "online",
    "online",
  ]);
});
