import { QueryClientProvider } from "@tanstack/react-query";
import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { AuthProvider } from "../../shared/auth/AuthProvider";
import { session } from "../../shared/auth/browser";
import { createQueryClient } from "../../shared/queryClient";
import { tokenFor } from "../../shared/testing/tokens";
import { readServerForm, Island, type QuizProps } from ".";
import type { Attempt, Question, QuestionResult, Result } from "./api";

const UNREADABLE = "This can't be read as one number. Enter a number in m.";
const LESSON = "11111111-1111-4111-8111-111111111111";
const ATTEMPT = "22222222-2222-4222-8222-222222222222";
const uid = (n: number): string => `33333333-3333-4333-8333-33333333333${n}`;

const base = {
  prompt_html: "Why?",
  points: 1,
  options: [],
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
const abc = ["a", "b", "c"].map((id) => ({ id, html: `Option <em>${id}</em>` }));
const questions: Question[] = [
  { ...base, uid: uid(1), kind: "single", prompt_html: "Which <em>one</em>?", options: abc },
  { ...base, uid: uid(2), kind: "multiple", options: abc },
  { ...base, uid: uid(3), kind: "truth" },
  { ...base, uid: uid(4), kind: "numeric", unit: "m", tolerance: "0.05" },
  { ...base, uid: uid(5), kind: "text" },
  { ...base, uid: uid(6), kind: "ordering", options: abc },
  {
    ...base,
    uid: uid(7),
    kind: "matching",
    left: [{ id: "l", html: "Nile" }],
    right: [
      { id: "1", html: "North Sea" },
      { id: "2", html: "<em>Mediterranean</em>" },
    ],
  },
];

const open: Attempt = {
  uid: ATTEMPT,
  number: 1,
  started_at: "2026-03-20T12:00:00Z",
  submitted_at: null,
  time_limit: 0,
  seconds_left: null,
  pass_percent: 70,
  questions,
  continues: null,
  answers: {},
  result: null,
};
const done: Attempt = {
  ...open,
  submitted_at: "2026-03-20T12:09:52Z",
  questions: [],
  result: {
    score: "5.2",
    points: 6,
    percent: 87,
    is_passed: true,
    waiting: 0,
    best_percent: 87,
    headline: "Passed, with one answer to review",
    seconds: 592,
    is_offline: false,
    certificate_url: null,
    may_try_again: true,
    shows_answers: true,
    next: {
      uid: uid(9),
      number: "2.7",
      title: "Symmetric matrices",
      kind: "video",
      duration: 60,
      url: "/learn/c/next",
      state: "available",
    },
    questions: [
      {
        uid: uid(1),
        kind: "single",
        prompt_html: "Which one?",
        verdict: "wrong",
        earned: "0",
        points: 1,
        lines: abc.map(({ html }, place) => ({
          html,
          chosen_html: "",
          right_html: "",
          is_chosen: place === 0,
          is_right: place === 1,
          place: null,
          points: null,
        })),
        given: "",
        comment: "",
        accepted: "",
        explanation_html: "Because of the slant.",
        remarks_html: ["That is the other one."],
        rewatch: { number: "2.5", title: "By hand", at: 248, url: "/learn/c/by-hand?t=248" },
      },
    ],
  },
};
const quiz: QuizProps = {
  lesson_uid: LESSON,
  title: "Check your understanding",
  url: "/learn/c/quiz",
  intro_html: "",
  question_count: 7,
  pool_count: 7,
  kinds: [
    { kind: "single", count: 3 },
    { kind: "numeric", count: 1 },
  ],
  pass_percent: 70,
  time_limit: 0,
  has_extra_time: false,
  attempts_left: null,
  reveal: "passed",
  wait: 0,
  retry_wait: 60,
  may_attempt: true,
  reopened: null,
  is_removed: false,
  past: [],
  attempt: null,
  progress_page: "/me/course/c/progress",
};

let now: QuizProps;
let sent: { url: string; body: unknown }[];
let answer: (url: string) => Response | Error;

beforeEach(() => {
  session.login(
    { id: "leo", username: "leo", email: "leo@example.com", role: "student" },
    tokenFor(900),
  );
  window.scrollTo = () => undefined;
  Element.prototype.scrollIntoView = () => undefined;
  now = quiz;
  sent = [];
  answer = (url) => {
    if (url.endsWith("/attempts/"))
      return Response.json((now = { ...now, attempt: open }).attempt, { status: 201 });
    if (url.endsWith("/submit/"))
      return Response.json({ ...(now = { ...now, attempt: done }).attempt, progress: null });
    return Response.json(now);
  };
  vi.stubGlobal("fetch", async (request: Request) => {
    const url = new URL(request.url).pathname;
    const text = await request.text();
    if (request.method !== "GET") sent.push({ url, body: text ? JSON.parse(text) : null });
    const given = answer(url);
    if (given instanceof Error) throw given;
    return given;
  });
});

function show(props: QuizProps = now) {
  now = props;
  return render(
    <AuthProvider>
      <QueryClientProvider client={createQueryClient()}>
        <Island {...props} />
      </QueryClientProvider>
    </AuthProvider>,
  );
}

function problem(code: string, status: number, fields: object = {}): Response {
  const body = {
    type: "",
    title: "No",
    status,
    detail: `Refused: ${code}`,
    code,
    params: {},
    fields,
    request_id: "r",
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "Content-Type": "application/problem+json" },
  });
}

const press = (name: string | RegExp) =>
  userEvent.click(screen.getAllByRole("button", { name })[0]!);
const kept = (): string | null => localStorage.getItem(`study.quiz.${ATTEMPT}`);

it("shows the rules, and opens an attempt", async () => {
  show({ ...quiz, time_limit: 1200, attempts_left: 2, past: [] });

  expect(screen.getByText("70%")).toBeTruthy();
  expect(screen.getByText("20 min")).toBeTruthy();
  await press("Start the quiz");
  await waitFor(() => expect(document.activeElement?.id).toBe("q1"));
  expect(await screen.findByText("Question 1 of 7")).toBeTruthy();
  expect(sent).toEqual([{ url: `/api/v1/lessons/${LESSON}/attempts/`, body: null }]);
});

it("offers no attempt if none is left", () => {
  show({ ...quiz, attempts_left: 0, may_attempt: false });

  expect(screen.queryByRole("button", { name: "Start the quiz" })).toBeNull();
  expect(screen.getByText(/used all your attempts/)).toBeTruthy();
});

it("says what will be asked, but not below a result", async () => {
  show();
  expect(await screen.findByText("3 questions with one correct answer")).toBeTruthy();
  expect(screen.getByText("1 number to work out")).toBeTruthy();
  expect(screen.getByText("There is no time limit.")).toBeTruthy();
});

it("lists the attempts and the best result", async () => {
  const past = [
    { percent: 83, is_passed: true, is_waiting: false },
    { percent: 41, is_passed: false, is_waiting: false },
  ].map((one, place) => ({
    ...one,
    uid: uid(place),
    number: place + 1,
    submitted_at: "2026-03-20T12:09:52Z",
    is_continued: false,
  }));
  now = { ...quiz, past, attempt: done, may_attempt: false, attempts_left: 0 };
  show();

  const rules = await screen.findByRole("region", { name: "Rules" });
  expect(within(rules).getByText("Best result").nextSibling?.textContent).toBe("83%");
  expect(
    within(rules)
      .getAllByRole("progressbar")
      .map((bar) => bar.getAttribute("value")),
  ).toEqual(["83", "41"]);
  expect(within(rules).getByText(/You've used all your attempts/)).toBeTruthy();
  expect(within(rules).queryByRole("button")).toBeNull();
  expect(within(rules).queryByText("What you'll be asked")).toBeNull();
});

it("takes all seven kinds of answers by keyboard and submits them once", async () => {
  const user = userEvent.setup();
  show({ ...quiz, attempt: open });

  await user.click(screen.getByRole("radio", { name: /Option a/ }));
  await user.keyboard("b");
  expect(screen.getByRole<HTMLInputElement>("radio", { name: /Option b/ }).checked).toBe(true);
  expect(document.activeElement).toBe(screen.getByRole("radio", { name: /Option b/ }));
  await user.click(screen.getByRole("checkbox", { name: /Option c/ }));
  await user.click(screen.getByRole("checkbox", { name: /Option a/ }));
  await user.click(screen.getByRole("radio", { name: /False/ }));
  await user.type(screen.getByRole("textbox", { name: "Your answer in m" }), "3,2");
  await user.type(screen.getByRole("textbox", { name: "Your answer" }), "Osmosis");
  await user.click(screen.getByRole("button", { name: "Move step 1 down" }));
  await user.selectOptions(screen.getByRole("combobox", { name: "Nile" }), "Mediterranean");
  expect(screen.getByText("You've answered every question.")).toBeTruthy();
  await press("Submit");

  expect(await screen.findByRole("heading", { name: /Passed, with one/ })).toBeTruthy();
  expect(sent).toEqual([
    {
      url: `/api/v1/attempts/${ATTEMPT}/submit/`,
      body: {
        answers: {
          [uid(1)]: { id: "b" },
          [uid(2)]: { ids: ["c", "a"] },
          [uid(3)]: { value: false },
          [uid(4)]: { text: "3,2" },
          [uid(5)]: { text: "Osmosis" },
          [uid(6)]: { ids: ["b", "a", "c"] },
          [uid(7)]: { pairs: { l: "2" } },
        },
      },
    },
  ]);
  expect(kept()).toBeNull();
});

it("keeps answers and flags after a reload", async () => {
  const view = show({ ...quiz, attempt: open });
  await userEvent.click(screen.getByRole("radio", { name: /Option c/ }));
  await press("Flag question 1");
  view.unmount();

  show({ ...quiz, attempt: open });

  expect(screen.getByRole<HTMLInputElement>("radio", { name: /Option c/ }).checked).toBe(true);
  expect(screen.getByRole("link", { name: /^1/ }).textContent).toContain("answered, flagged");
  expect(screen.getByText("1 of 7 answered. Saved on this device.")).toBeTruthy();
});

it("asks before it submits unanswered questions, with the focus on the safe answer", async () => {
  show({ ...quiz, attempt: open });
  await press("Submit");

  const dialog = screen.getByRole("dialog");
  expect(within(dialog).getByText(/7 questions are unanswered/)).toBeTruthy();
  expect(document.activeElement?.textContent).toBe("Keep working");
  await userEvent.click(within(dialog).getByRole("button", { name: "Keep working" }));
  expect(sent).toEqual([]);

  await press("Submit");
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Submit" }));
  expect(await screen.findByText("Score 5.2 of 6")).toBeTruthy();
});

it("keeps the focus on the moved step and announces its position", async () => {
  show({ ...quiz, attempt: open });
  screen.getByRole("button", { name: "Move step 2 up" }).focus();
  await userEvent.keyboard("{Enter}");

  // It is first now: its up button stopped working, so the other one has the focus.
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Move step 1 down");
  expect(document.querySelector('[data-live="polite"]')?.textContent).toBe(
    "Option b is now step 1 of 3",
  );
});

it("says at once that a word is not a number", async () => {
  show({ ...quiz, attempt: open });
  await userEvent.type(screen.getByRole("textbox", { name: "Your answer in m" }), "three");
  await userEvent.tab();

  expect(screen.getByText(UNREADABLE)).toBeTruthy();
  expect(screen.getByText("A number. Answers within 0.05 count.")).toBeTruthy();
  await press("Submit");
  expect(screen.getByText("Some answers need your attention")).toBeTruthy();
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("shows how a number is read, and that it could be read otherwise", async () => {
  show({ ...quiz, attempt: open });
  const field = screen.getByRole("textbox", { name: "Your answer in m" });
  await userEvent.type(field, "1 234,5 m");
  expect(screen.getByText("Read as 1,234.5")).toBeTruthy();
  await userEvent.clear(field);
  await userEvent.type(field, "1,234");

  expect(screen.getByText("Read as 1234, not 1.234")).toBeTruthy();
});

it.each([
  [50, null, "You're halfway through the course.", ". You're halfway through the course."],
  [100, "/certificates/abc", "You completed the course.", ""],
  [null, null, undefined, ""],
])("says that passing reached %s percent of the course", async (milestone, url, told, spoken) => {
  answer = (address) => {
    if (!address.endsWith("/submit/")) return Response.json(now);
    now = { ...now, attempt: done };
    return Response.json({ ...done, progress: { milestone, certificate_url: url } });
  };
  show({ ...quiz, attempt: open });
  await press("Submit");
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Submit" }));
  await screen.findByRole("heading", { name: /Passed, with one/ });

  expect(document.querySelector(".toast p")?.textContent).toBe(told);
  expect(document.querySelector("[data-live=polite]")?.textContent).toBe(
    `Passed, with one answer to review${spoken}`,
  );
});

it("shows what was chosen, what is right, why, and the minute to rewatch", async () => {
  show({ ...quiz, attempt: open });
  await press("Submit");
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Submit" }));
  const heading = await screen.findByRole("heading", { name: /Passed, with one/ });

  expect(document.activeElement).toBe(heading);
  expect(screen.getByRole("img", { name: "Score 87 percent" })).toBeTruthy();
  expect(screen.getByText("Incorrect, 0 of 1")).toBeTruthy();
  expect(screen.getByText("That is the other one.")).toBeTruthy();
  expect(screen.getByText("Because of the slant.")).toBeTruthy();
  expect(
    screen.getByRole("link", { name: "Watch again from 4:08 in lesson 2.5" }).getAttribute("href"),
  ).toBe("/learn/c/by-hand?t=248");
  expect(screen.getByRole("link", { name: /Next: 2.7/ }).getAttribute("href")).toBe(
    "/learn/c/next",
  );
  expect(screen.getByText("correct answer")).toBeTruthy();
  expect(screen.getByRole("img", { name: "incorrect" })).toBeTruthy();
});

const failed = (over: Partial<QuestionResult>[], more: Partial<Result> = {}): QuizProps => {
  const [first] = done.result!.questions;
  const result = {
    ...done.result!,
    is_passed: false,
    shows_answers: false,
    ...more,
    questions: over.map((one, place) => ({ ...first!, uid: uid(place), ...one })),
  };
  return { ...quiz, attempt: { ...done, result } };
};
const line = (over: Partial<QuestionResult["lines"][number]>) => ({
  html: "Option a",
  chosen_html: "",
  right_html: "",
  is_chosen: true,
  is_right: null,
  place: null,
  points: null,
  ...over,
});

it("does not show correct answers while they are hidden", async () => {
  const hidden = { explanation_html: "", remarks_html: [], rewatch: null };
  show(
    failed([
      { ...hidden, kind: "multiple", lines: [line({}), line({ html: "B", is_chosen: false })] },
      { ...hidden, kind: "ordering", lines: [line({ html: "C" }), line({ html: "D" })] },
      { ...hidden, kind: "matching", lines: [line({ chosen_html: "Rhine" })] },
      { ...hidden, kind: "numeric", lines: [], given: "3", accepted: "" },
    ]),
  );

  expect(
    await screen.findByText("The correct answers will appear here once you pass."),
  ).toBeTruthy();
  const [several, order, pairs, number] = ["r1", "r2", "r3", "r4"].map((id) =>
    document.getElementById(id)!,
  );
  expect(several!.querySelector(".answer--reveal, .answer--wrong")).toBeNull();
  expect(several!.querySelector(".answer--mine")).toBeTruthy();
  expect(order!.querySelector(".is-right, .is-wrong, .order svg")).toBeNull();
  expect(pairs!.querySelector(".is-right, .is-wrong, .order svg")).toBeNull();
  expect(pairs!.textContent).not.toContain("correct:");
  expect(number!.textContent).toContain("You answered 3.");
  expect(number!.textContent).not.toContain("Correct answer");
});

it("fills the gaps of a text in their places, each by its label", async () => {
  const marking = { points: 1, unit: "", tolerance: "", ignores_accents: false };
  const slot = (number: number): string => `<span class="gap" data-gap="${number}"></span>`;
  const text: Question = {
    ...base,
    uid: uid(8),
    kind: "gaps",
    prompt_html: `<p>It is ${slot(2)} of ${slot(1)}.</p>`,
    gaps: [
      { ...marking, number: "2", kind: "numeric", options: [], is_case_sensitive: false },
      { ...marking, number: "1", kind: "single", options: abc, is_case_sensitive: false },
    ],
  };
  show({ ...quiz, attempt: { ...open, questions: [text] } });

  const first = await screen.findByLabelText("Gap 1 of 2");
  const second = screen.getByLabelText("Gap 2 of 2");
  expect(first.closest("p")?.textContent).toContain("It is");
  await userEvent.type(first, "two");
  await userEvent.selectOptions(second, "Option b");
  expect(first).toHaveProperty("value", "two");
  expect(first.getAttribute("aria-invalid")).toBe("true");
  expect(first.getAttribute("aria-describedby")).toBeTruthy();
  await userEvent.clear(first);
  await userEvent.type(first, "1/2");
  await press("Submit");
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]!.body).toEqual({ answers: { [uid(8)]: { gaps: { 1: "b", 2: "1/2" } } } });
});

it("counts an essay in characters, and sends none that is too long", async () => {
  const essay: Question = { ...base, uid: uid(8), kind: "essay", points: 4, limit: 5 };
  show({ ...quiz, attempt: { ...open, questions: [essay] } });

  const field = await screen.findByLabelText("Your answer");
  await userEvent.type(field, "four𝒙𝒙");
  expect(screen.getByText("1 character too long")).toBeTruthy();
  await press("Submit");
  expect(screen.getByText("Some answers need your attention")).toBeTruthy();
  expect(sent).toEqual([]);
  fireEvent.change(field, { target: { value: "four𝒙" } });
  await press("Submit");
  await waitFor(() => expect(sent).toHaveLength(1));
  expect(sent[0]!.body).toEqual({ answers: { [uid(8)]: { text: "four𝒙" } } });
});

it("says that an essay waits for a mark, and shows no score and no other attempt as next", async () => {
  const props = failed([{ kind: "essay", verdict: "waiting", lines: [], given: "In  spring" }]);
  const result = { ...props.attempt!.result!, waiting: 1, headline: "Waiting for your instructor" };
  show({ ...props, attempt: { ...props.attempt!, result } });

  expect(await screen.findByText("Waiting for your instructor")).toBeTruthy();
  expect(screen.getByLabelText("The score isn't known yet")).toBeTruthy();
  expect(screen.getByText("Waiting for a mark, up to 1")).toBeTruthy();
  expect(document.querySelector(".essay")?.textContent).toBe("In  spring");
  expect(document.querySelector(".verdict__acts .btn--primary")).toBeNull();
});

it("says the points of a marked essay, and nothing of correct or incorrect", async () => {
  const essay = { kind: "essay" as const, lines: [], given: "In spring", earned: "2.5", points: 4 };
  show(
    failed([
      { ...essay, verdict: "partly" },
      { ...essay, verdict: "wrong", earned: "0" },
    ]),
  );

  const results = await screen.findByRole("navigation", { name: "Results" });
  expect(within(results).getAllByRole("img", { name: "marked" })).toHaveLength(2);
  expect(screen.getByText("2.5 of 4 points")).toBeTruthy();
  expect(screen.getByText("0 of 4 points")).toBeTruthy();
});

it("says that an ordering was unanswered while the correct order is hidden", async () => {
  show(failed([{ verdict: "open", kind: "ordering", lines: [], given: "", accepted: "" }]));

  expect(await screen.findByText("You didn't answer this.")).toBeTruthy();
});

it("marks unanswered questions with a dash, and a score of zero without a dot", async () => {
  const left = { verdict: "open" as const, lines: [], kind: "numeric" as const, given: "" };
  const accepted = "10 (9.99 to 10.01 accepted)";
  show(failed([{ ...left, accepted }, { verdict: "wrong" }], { percent: 0, shows_answers: true }));

  const results = await screen.findByRole("navigation", { name: "Results" });
  expect(within(results).getByRole("img", { name: "not answered" })).toBeTruthy();
  expect(within(results).getByRole("img", { name: "not correct" })).toBeTruthy();
  expect(document.querySelectorAll(".ring circle")).toHaveLength(1);
  expect(document.getElementById("r1")!.textContent).toContain(
    "You didn't answer this. Correct answer: 10 (9.99 to 10.01 accepted)",
  );
});

it.each([
  ["passed", null, "You'll see the correct answers once you pass."],
  ["passed", 2, "You'll see the correct answers once you pass, or after your last attempt."],
  ["always", null, "Every answer is explained after you submit."],
  ["never", 3, "You'll see which questions you got right, but not the correct answers."],
] as const)("says when the right answers are shown: %s, %s left", async (reveal, left, words) => {
  show({ ...quiz, reveal, attempts_left: left });

  expect(await screen.findByText(words)).toBeTruthy();
});

it("counts the wait between two attempts, and opens none before it is over", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const again = failed([{ verdict: "wrong" }]);
  show({ ...again, wait: 40 });
  const buttons = await screen.findAllByRole("button", { name: /^Try again in 0:(40|39)$/ });
  expect(buttons.map((button) => button.getAttribute("aria-disabled"))).toEqual(
    ["true", "true"].slice(0, buttons.length),
  );
  fireEvent.click(buttons[0]!);
  expect(sent).toEqual([]);

  await act(() => vi.advanceTimersByTimeAsync(41_000));
  vi.useRealTimers();
  await press("Try again");
  expect(await screen.findByText("Question 1 of 7")).toBeTruthy();
});

it("unlocks the next lesson after passing", async () => {
  document.body.innerHTML = `<span data-next="/learn/c/next"><span>Next lesson</span><svg></svg></span>`;
  show({ ...quiz, attempt: open });
  await press("Submit");
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Submit" }));

  expect((await screen.findByRole("link", { name: "Next lesson" })).getAttribute("href")).toBe(
    "/learn/c/next",
  );
});

it("marks the questions that the server could not read, and loses nothing", async () => {
  answer = () =>
    problem("VALIDATION_FAILED", 400, {
      [`answers.${uid(1)}`]: [{ code: "invalid", message: "No" }],
    });
  show({ ...quiz, attempt: open });
  await userEvent.click(screen.getByRole("radio", { name: /Option a/ }));
  await press("Submit");
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Submit" }));

  expect(await screen.findByText("This answer isn't valid for this question.")).toBeTruthy();
  expect(document.activeElement?.id).toBe("q1");
  expect(kept()).toContain('"id":"a"');
});

it("keeps the answers while offline and submits them afterwards", async () => {
  const works = answer;
  answer = () => new TypeError("Failed to fetch");
  show({ ...quiz, attempt: open });
  await userEvent.click(screen.getByRole("radio", { name: /Option a/ }));
  await press("Submit");
  await userEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Submit" }));
  expect(await screen.findByText("Your answers are saved on this device.")).toBeTruthy();
  expect(kept()).toContain('"id":"a"');

  answer = works;
  await press(/Try/);
  expect(await screen.findByText("Score 5.2 of 6")).toBeTruthy();
});

it.each(["QUIZ_ATTEMPT_CLOSED", "QUIZ_TIME_OVER"])(
  "shows the current state when the server responds %s",
  async (code) => {
    show({ ...quiz, attempt: open });
    answer = (url) => {
      if (!url.endsWith("/submit/")) return Response.json(now);
      now = { ...now, attempt: done };
      return problem(code, 409);
    };
    await press("Submit");
    await userEvent.click(
      within(screen.getByRole("dialog")).getByRole("button", { name: "Submit" }),
    );

    expect(await screen.findByText(`Refused: ${code}`)).toBeTruthy();
    expect(await screen.findByText("Score 5.2 of 6")).toBeTruthy();
    if (code === "QUIZ_TIME_OVER")
      expect(kept()).not.toBeNull(); // the attempt may be reopened
    else expect(kept()).toBeNull();
  },
);

const timed = (limit: number, left: number | null): QuizProps => ({
  ...quiz,
  time_limit: limit,
  attempt: { ...open, time_limit: limit, seconds_left: left },
});
const spoken = (): string => document.querySelector('[data-live="assertive"]')?.textContent ?? "";

it("moves its clock, and says so, when more time is given while it is open", async () => {
  show(timed(600, 90));
  now = timed(900, 390);
  act(() => void dispatchEvent(new Event("study:exceptions")));

  expect(await screen.findByText("You have 5 minutes more")).toBeTruthy();
  expect(spoken()).toBe("You have 5 minutes more. 6 minutes 30 seconds left.");
  expect(screen.getByRole("timer").textContent).toMatch(/^6:(31|30|29)/);
  expect(screen.queryByText("Less than two minutes left")).toBeNull();
  now = timed(0, null);
  act(() => void dispatchEvent(new Event("study:exceptions")));
  expect(await screen.findByText("There is no time limit anymore")).toBeTruthy();
  expect(spoken()).toBe("There is no time limit anymore");
  expect(screen.queryByRole("timer")).toBeNull();
});

it("asks for more time at the end before it submits, also where no socket has told it", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  show(timed(600, 3));
  now = timed(660, 60);
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  vi.useRealTimers();

  expect(await screen.findByText("You have 1 minute more")).toBeTruthy();
  expect(sent.filter(({ url }) => url.endsWith("/submit/"))).toEqual([]);
});

it("submits at the end though the server can't be asked for more time", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const works = answer;
  answer = (url) => (url.endsWith("/quiz/") ? problem("SERVER_ERROR", 500) : works(url));
  show(timed(600, 3));
  await act(() => vi.advanceTimersByTimeAsync(12_000));
  vi.useRealTimers();

  await waitFor(() => expect(sent.some(({ url }) => url.endsWith("/submit/"))).toBe(true));
});

it("offers to continue a reopened attempt, with its answers and those of this device", () => {
  show({ ...quiz, reopened: { number: 1, time_limit: 900 }, attempts_left: 0, attempt: done });

  expect(screen.getByText("Attempt 1 was reopened for you")).toBeTruthy();
  expect(screen.getAllByRole("button", { name: "Continue attempt 1" })).toHaveLength(2);
});

it("begins a continued attempt with what was submitted, and what was entered here too late", () => {
  const former = "44444444-4444-4444-8444-444444444444";
  const late = { answers: { [uid(3)]: { value: true } }, flags: [uid(2)] };
  localStorage.setItem(`study.quiz.${former}`, JSON.stringify(late));
  const answers = { [uid(1)]: { id: "b" }, [uid(5)]: { text: "osmosis" } };
  show({ ...quiz, attempt: { ...open, continues: former, answers } });

  expect(screen.getByRole<HTMLInputElement>("radio", { name: /Option b/ }).checked).toBe(true);
  expect(screen.getByRole<HTMLInputElement>("radio", { name: /True/ }).checked).toBe(true);
  expect(screen.getByText(/^3 of 7 answered/)).toBeTruthy();
});

it("submits automatically once when the time is over", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  show({ ...quiz, time_limit: 600, attempt: { ...open, time_limit: 600, seconds_left: 90 } });
  const clock = screen.getByRole("timer");
  expect(clock.textContent).toMatch(/^1:(30|29)/);
  expect(screen.getByText("Less than two minutes left")).toBeTruthy();

  await act(() => vi.advanceTimersByTimeAsync(95_000));
  vi.useRealTimers();

  expect(await screen.findByText("Score 5.2 of 6")).toBeTruthy();
  expect(sent.filter(({ url }) => url.endsWith("/submit/"))).toHaveLength(1);
});

it("submits the other answers when the time is over and one is invalid", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  const works = answer;
  answer = (url) => {
    const [, ...before] = sent.filter((one) => one.url.endsWith("/submit/"));
    if (!url.endsWith("/submit/") || before.length > 0) return works(url);
    return problem("VALIDATION_FAILED", 400, {
      [`answers.${uid(1)}`]: [{ code: "invalid", message: "No" }],
    });
  };
  show({ ...quiz, time_limit: 600, attempt: { ...open, time_limit: 600, seconds_left: 3 } });
  fireEvent.click(screen.getByRole("radio", { name: /Option a/ }));
  fireEvent.click(screen.getByRole("radio", { name: /True/ }));

  await act(() => vi.advanceTimersByTimeAsync(4_000));
  vi.useRealTimers();

  expect(await screen.findByText("Score 5.2 of 6")).toBeTruthy();
  const handed = sent.filter(({ url }) => url.endsWith("/submit/")).map(({ body }) => body);
  expect(handed).toEqual([
    { answers: { [uid(1)]: { id: "a" }, [uid(3)]: { value: true } } },
    { answers: { [uid(3)]: { value: true } } },
  ]);
});

it("says that a word in a draft is not a number", () => {
  const paper = { answers: { [uid(4)]: { text: "three" } }, flags: [] };
  localStorage.setItem(`study.quiz.${ATTEMPT}`, JSON.stringify(paper));
  show({ ...quiz, attempt: open });

  expect(screen.getByText(UNREADABLE)).toBeTruthy();
  expect(screen.getByText(/^0 of 7 answered/)).toBeTruthy();
});

it("hides the clock, and remembers it", async () => {
  const props = {
    ...quiz,
    time_limit: 600,
    attempt: { ...open, time_limit: 600, seconds_left: 500 },
  };
  const view = show(props);
  await press("Hide the clock");
  expect(screen.queryByRole("timer")).toBeNull();
  view.unmount();

  show(props);
  expect(screen.queryByRole("timer")).toBeNull();
  await press("Show the clock");
  expect(screen.getByRole("timer")).toBeTruthy();
});

it("continues with the answers given before the island was loaded", async () => {
  const field = (n: number, value: string, part = ""): string =>
    `<input name="q.${uid(n)}${part}" value="${value}">`;
  const spot = document.createElement("div");
  spot.innerHTML = `<form>
    <input type="radio" name="q.${uid(1)}" value="a"><input type="radio" name="q.${uid(1)}" value="b" checked>
    ${field(2, "a")}${field(2, "c")}${field(3, "false")}${field(4, "3,5")}${field(5, "")}
    ${field(6, "3", ".a")}${field(6, "1", ".b")}${field(6, "2", ".c")}${field(7, "2", ".l")}</form>`;
  const paper = {
    answers: { [uid(1)]: { id: "c" }, [uid(5)]: { text: "river" } },
    flags: [uid(2)],
  };
  localStorage.setItem(`study.quiz.${ATTEMPT}`, JSON.stringify(paper));

  readServerForm(spot, { ...quiz, attempt: open });
  show({ ...quiz, attempt: open });

  expect(await screen.findByText("You've answered every question.")).toBeTruthy();
  expect(JSON.parse(kept()!)).toEqual({
    answers: {
      [uid(1)]: { id: "b" },
      [uid(2)]: { ids: ["a", "c"] },
      [uid(3)]: { value: false },
      [uid(4)]: { text: "3,5" },
      [uid(5)]: { text: "river" },
      [uid(6)]: { ids: ["b", "c", "a"] },
      [uid(7)]: { pairs: { l: "2" } },
    },
    flags: [uid(2)],
  });
});

it("takes nothing from an empty form", () => {
  const spot = document.createElement("div");
  spot.innerHTML = `<form><input name="q.${uid(5)}"><select name="q.${uid(6)}.a"><option value=""></option></select></form>`;

  readServerForm(spot, { ...quiz, attempt: open });
  readServerForm(spot, quiz);

  expect(kept()).toBeNull();
});
