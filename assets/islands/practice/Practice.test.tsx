import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { AuthProvider } from "../../shared/auth/AuthProvider";
import { session } from "../../shared/auth/browser";
import { createQueryClient } from "../../shared/queryClient";
import { startShortcuts } from "../../shared/shortcuts";
import { forgetListenersAfterEach } from "../../shared/testing/listeners";
import { tokenFor } from "../../shared/testing/tokens";
import { Island, readServerForm } from ".";
import { type Answered, type Card, type PracticeProps, readUnsent } from "./api";

const uid = (n: number): string => `33333333-3333-4333-8333-33333333333${n}`;
const question = {
  uid: uid(0),
  kind: "single" as const,
  prompt_html: "Which <em>one</em>?",
  points: 1,
  options: ["a", "b", "c"].map((id) => ({ id, html: `Option ${id}` })),
  left: [],
  right: [],
  unit: "",
  ignores_accents: false,
  is_case_sensitive: false,
  number_format: { decimal: ".", group: ",", second_group: 3 },
  gaps: [],
  limit: null,
  tolerance: "",
};
const asked: Card = {
  uid: uid(1),
  turn: 2,
  course: "Rivers",
  quiz: "2.6",
  missed: 2,
  missed_at: "2026-03-09T12:00:00Z",
  question,
  front_html: "",
  back_html: "",
  intervals: [600, 172_800, 518_400, 1_296_000],
};
const flash: Card = {
  ...asked,
  uid: uid(2),
  turn: 0,
  course: "",
  quiz: "",
  missed: 0,
  missed_at: null,
  question: null,
  front_html: "<p>Ebb?</p>",
  back_html: "<p>Falling tide</p>",
};
const practice: PracticeProps = {
  origin: "",
  total: 9,
  left: 2,
  done_today: 0,
  tomorrow: 3,
  next_due: null,
  cards: [asked, flash],
};
const wrong: Answered = {
  suggested: 1,
  result: {
    uid: uid(0),
    kind: "single",
    prompt_html: "Which?",
    verdict: "wrong",
    earned: "0",
    points: 1,
    lines: [],
    given: "",
    comment: "",
    accepted: "",
    explanation_html: "Because of the slant.",
    remarks_html: [],
    rewatch: { number: "2.5", title: "By hand", at: 248, url: "/learn/c/by-hand?t=248" },
  },
};

type Sent = { path: string; body: Record<string, unknown> };
let sent: Sent[];
let answer: (sent: Sent) => Response | Error;
let later: PracticeProps;

const json = (body: unknown, status = 200): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": status < 400 ? "application/json" : "application/problem+json" },
  });
const saved = (isCounted = true): Response =>
  json({ is_counted: isCounted, due: "2026-03-20T12:00:00Z", turn: 3 });
const problem = (code: string, status: number): Response =>
  json({ type: "", title: code, status, code, detail: code, severity: "error" }, status);

forgetListenersAfterEach();
beforeEach(() => {
  startShortcuts();
  session.login(
    { id: "leo", username: "leo", email: "leo@example.com", role: "student" },
    tokenFor(900),
  );
  localStorage.removeItem("study.practice.leo");
  Element.prototype.scrollIntoView = () => undefined;
  sent = [];
  later = { ...practice, left: 0, done_today: 2, cards: [] };
  answer = ({ path }) => (path.endsWith("/answer/") ? json(wrong) : saved());
  vi.stubGlobal("fetch", async (request: Request) => {
    const path = new URL(request.url).pathname;
    if (request.method === "GET") return json(later);
    const one = { path, body: (await request.json()) as Record<string, unknown> };
    sent.push(one);
    const answered = answer(one);
    if (answered instanceof Error) throw answered;
    return answered;
  });
});

function start(props: PracticeProps & { entered?: { id: string } } = practice) {
  render(
    <AuthProvider>
      <QueryClientProvider client={createQueryClient()}>
        <Island {...props} />
      </QueryClientProvider>
    </AuthProvider>,
  );
  return userEvent.setup();
}
const reviews = (): Sent[] => sent.filter(({ path }) => path.endsWith("/reviews/"));

it("goes through the cards with keys alone", async () => {
  const user = start();
  await user.keyboard("b ");
  expect(await screen.findByText("Because of the slant.")).toBeTruthy();
  expect(sent[0]?.body).toEqual({ answer: { id: "b" } });
  const [again] = within(screen.getByRole("group", { name: "How was it?" })).getAllByRole("button");
  await waitFor(() => expect(document.activeElement).toBe(again));
  await user.keyboard("2");

  expect(await screen.findByText("Ebb?")).toBeTruthy();
  expect(screen.queryByText("Falling tide")).toBeNull();
  await user.keyboard(" ");
  expect(screen.getByText("Falling tide")).toBeTruthy();
  await user.keyboard("4");

  const end = await screen.findByRole("heading", { name: "Done for today" });
  expect(document.activeElement).toBe(end);
  expect(screen.getByText(/You remembered 2 of 2\..*Tomorrow 3 cards are due\./)).toBeTruthy();
  expect(reviews().map(({ body }) => [body.turn, body.rating, body.answer])).toEqual([
    [2, 2, { id: "b" }],
    [0, 4, null],
  ]);
});

it("shows the figures of the rest of the day once the last card is rated", async () => {
  const side = document.createElement("aside");
  side.dataset.practiceSide = "";
  side.textContent = "Today 1";
  document.body.append(side);
  const api = fetch as (request: Request) => Promise<Response>;
  vi.stubGlobal("fetch", (request: Request | string) =>
    typeof request === "string"
      ? Promise.resolve(new Response("<aside data-practice-side>Today 0</aside>"))
      : api(request),
  );
  const user = start({ ...practice, left: 1, cards: [flash] });
  await user.keyboard(" 3");

  expect(await screen.findByText("Today 0")).toBeTruthy();
  expect(screen.queryByText("Today 1")).toBeNull();
  screen.getByText("Today 0").remove();
});

it("tells where to watch a card again that was not remembered", async () => {
  const user = start({ ...practice, left: 1, cards: [asked] });
  await user.click(screen.getByRole("button", { name: "I don't know" }));
  await user.click(await screen.findByRole("button", { name: /Not yet/ }));

  const link = await screen.findByRole("link", { name: "Watch again from 4:08 in lesson 2.5" });
  expect(link.getAttribute("href")).toBe("/learn/c/by-hand?t=248");
  expect(sent[0]?.body).toEqual({ answer: null });
});

it("keeps a rating on the device until the server has it", async () => {
  const user = start({ ...practice, left: 1, cards: [flash] });
  answer = () => new Error("no network");
  await user.keyboard(" 3");
  expect(await screen.findByText(/Your rating is saved on this device/)).toBeTruthy();
  const kept = readUnsent("leo")[0]?.review.key;
  expect(kept).toBeTruthy();

  answer = () => saved();
  await user.click(screen.getByRole("button", { name: /^Try / }));
  expect(await screen.findByRole("heading", { name: "Done for today" })).toBeTruthy();
  expect(new Set(reviews().map(({ body }) => body.key))).toEqual(new Set([kept]));
  expect(readUnsent("leo")).toEqual([]);
});

it("sends every rating that an earlier page left, and none of another user", async () => {
  const left = (card: string, key: string) => ({ card, review: { key, turn: 1, rating: 3 } });
  localStorage.setItem(
    "study.practice.leo",
    JSON.stringify([left(uid(7), "first"), left(uid(8), "second"), { torn: true }]),
  );
  localStorage.setItem("study.practice.mia", JSON.stringify([left(uid(9), "hers")]));
  answer = () => saved();
  start();
  await waitFor(() => expect(reviews().map(({ body }) => body.key)).toEqual(["first", "second"]));
  await waitFor(() => expect(readUnsent("leo")).toEqual([]));
  expect(readUnsent("mia")).toHaveLength(1);
  localStorage.removeItem("study.practice.mia");
});

it("leaves out a card that is gone", async () => {
  const user = start();
  answer = () => problem("PRACTICE_CARD_NOT_FOUND", 404);
  await user.keyboard("a ");

  expect(await screen.findByText("Ebb?")).toBeTruthy();
});

it("says that nothing is due", () => {
  start({ ...practice, left: 0, cards: [] });

  expect(screen.getByRole("heading", { name: "Nothing to practice today" })).toBeTruthy();
  expect(screen.getByText(/Tomorrow 3 cards are due/)).toBeTruthy();
});

it("takes over what was answered before it was loaded", () => {
  const spot = document.createElement("div");
  spot.innerHTML = `<form><input type="radio" name="q.${uid(0)}" value="c" checked></form>`;
  const props: PracticeProps & { entered?: { id: string } } = { ...practice };
  readServerForm(spot, props);
  start(props);

  expect(screen.getByRole<HTMLInputElement>("radio", { name: "Option c" }).checked).toBe(true);
});
