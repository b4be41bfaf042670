import { beforeEach, expect, it, vi } from "vitest";

import { session } from "../../shared/auth/browser";
import { tokenFor } from "../../shared/testing/tokens";
import type { Provider } from "../../shared/payments/saveCard";
import { activate, type Stage } from "./activate";
import { payDue } from "./api";

const CARD = "3f1c6a52-3a8e-4f0e-9a55-111111111111";
const subscription = (status: string, secret = "") => ({
  status,
  plan: "monthly",
  client_secret: secret,
  payment_method: secret && "pm_1",
});

let calls: string[];
let stages: Stage[];
let answers: (Response | Error)[];

beforeEach(() => {
  const user = { id: "mia", username: "mia", email: "mia@example.com", role: "student" as const };
  session.login(user, tokenFor(900));
  calls = [];
  stages = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    calls.push(new URL(request.url).pathname.replace("/api/v1/billing", ""));
    const next = answers.shift();
    if (!next || next instanceof Error) throw next ?? new TypeError("no answer");
    return Promise.resolve(next);
  });
});

function providerThat(answer: { submit?: object; setup?: object; payment?: object }): Provider {
  return {
    stripe: {
      confirmSetup: vi.fn(() => Promise.resolve(answer.setup ?? {})),
      confirmPayment: vi.fn(() => Promise.resolve(answer.payment ?? {})),
    },
    elements: { submit: () => Promise.resolve(answer.submit ?? {}) },
  } as unknown as Provider;
}

const run = (provider: Provider, card = "") =>
  activate({ card, begin: payDue, pauses: [0, 0] }, provider, (stage) => stages.push(stage));

const declined = { error: { type: "card_error", message: "No funds." } };

it("saves the card, begins the trial, and asks whether Premium is active", async () => {
  answers = [
    Response.json({ intent: "seti_1", client_secret: "seti_1_secret_2" }),
    Response.json({ uid: CARD }),
    Response.json(subscription("trialing")),
    Response.json(subscription("trialing")),
  ];
  const provider = providerThat({});

  expect(await run(provider)).toEqual({ kind: "active" });
  expect(calls).toEqual(["/cards/", "/cards/done/", "/premium/pay/", "/premium/sync/"]);
  expect(stages).toEqual(["processing", "upgrading", "activating"]);
  expect(provider.stripe.confirmPayment).not.toHaveBeenCalled();
});

it("confirms the first payment with the saved card", async () => {
  answers = [
    Response.json(subscription("incomplete", "pi_1_secret_2")),
    Response.json(subscription("incomplete")),
    Response.json(subscription("active")),
  ];
  const provider = providerThat({});

  expect(await run(provider, CARD)).toEqual({ kind: "active" });
  expect(provider.stripe.confirmPayment).toHaveBeenCalledWith(
    expect.objectContaining({
      clientSecret: "pi_1_secret_2",
      confirmParams: expect.objectContaining({ payment_method: "pm_1" }) as object,
    }),
  );
});

it("calls nobody if the card is incomplete", async () => {
  answers = [];

  expect(await run(providerThat({ submit: { error: { type: "validation_error" } } }))).toEqual({
    kind: "invalid",
  });
  expect(calls).toEqual([]);
});

it("begins no subscription if the card can't be saved", async () => {
  answers = [Response.json({ intent: "seti_1", client_secret: "seti_1_secret_2" })];

  expect(await run(providerThat({ setup: declined }))).toEqual({
    kind: "failed",
    message: "No funds.",
  });
  expect(calls).toEqual(["/cards/"]);
});

it("says why a payment failed", async () => {
  answers = [
    Response.json(subscription("past_due", "pi_1_secret_2")),
    Response.json(subscription("past_due")),
    Response.json(subscription("past_due")),
  ];

  expect(await run(providerThat({ payment: declined }), CARD)).toEqual({
    kind: "failed",
    message: "No funds.",
  });
});

it("believes the server if the answer was lost after the charge", async () => {
  answers = [
    Response.json(subscription("past_due", "pi_1_secret_2")),
    new TypeError("no network"),
    Response.json(subscription("active")),
  ];
  const lost = { error: { type: "api_connection_error" } };

  expect(await run(providerThat({ payment: lost }), CARD)).toEqual({ kind: "active" });
});

it("waits without giving up while the provider does not answer", async () => {
  answers = [
    Response.json(subscription("past_due", "pi_1_secret_2")),
    Response.json({ code: "PAYMENT_PROCESSING_ERROR" }, { status: 502 }),
    Response.json(subscription("past_due")),
  ];

  expect(await run(providerThat({}), CARD)).toEqual({ kind: "waiting" });
});

it("hands back what the server refuses", async () => {
  answers = [Response.json({ code: "NOTHING_DUE", detail: "Nothing is due." }, { status: 409 })];

  const outcome = await run(providerThat({}), CARD);

  expect(outcome).toMatchObject({ kind: "refused", error: { problem: { code: "NOTHING_DUE" } } });
});
