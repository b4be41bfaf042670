import { beforeEach, expect, it, vi } from "vitest";

import { session } from "../../shared/auth/browser";
import { tokenFor } from "../../shared/testing/tokens";
import type { OrderIn } from "./api";
import { pay } from "./pay";
import type { Provider } from "./useCardForm";

const wanted: OrderIn = {
  course: "compilers",
  bundle: "",
  is_gift: false,
  gift: null,
  code: "",
  country: "",
  email: "mia@example.com",
  total: 6400,
  currency: "usd",
  card: null,
  saves_card: false,
  agrees: true,
  method: "card",
};
const order = (status: string, fields: object = {}) => ({
  uid: "u1",
  number: "7F4K-2222",
  status,
  total: 6400,
  currency: "usd",
  client_secret: status === "open" ? "pi_1_secret_2" : "",
  payment_method: "",
  failure: "",
  next_url: `/payment-${status === "canceled" ? "error" : "success"}?order=u1`,
  ...fields,
});

let calls: string[];
let answers: (Response | Error)[];

beforeEach(() => {
  const user = { id: "mia", username: "mia", email: "mia@example.com", role: "student" as const };
  session.login(user, tokenFor(900));
  calls = [];
  vi.stubGlobal("fetch", async (request: Request) => {
    calls.push(new URL(request.url).pathname);
    const next = answers.shift();
    if (!next || next instanceof Error) throw next ?? new TypeError("no answer");
    return Promise.resolve(next);
  });
});

function providerThat(confirm: () => Promise<object>, submit: object = {}): Provider {
  return {
    stripe: { confirmPayment: vi.fn(confirm) },
    elements: { submit: () => Promise.resolve(submit) },
  } as unknown as Provider;
}

it("confirms the payment and leaves once the order is paid", async () => {
  answers = [
    Response.json(order("open")),
    Response.json(order("processing")),
    Response.json(order("paid")),
  ];
  const provider = providerThat(() => Promise.resolve({ paymentIntent: {} }));

  const outcome = await pay(wanted, provider, () => undefined);

  expect(outcome).toEqual({ kind: "left", address: "/payment-success?order=u1" });
  expect(calls.at(-1)).toBe("/api/v1/billing/orders/u1/sync/");
});

it("makes no order if the card is incomplete", async () => {
  answers = [];
  const provider = providerThat(() => Promise.resolve({}), { error: { type: "validation_error" } });

  expect(await pay(wanted, provider, () => undefined)).toEqual({ kind: "invalid" });
  expect(calls).toEqual([]);
});

it("shows why the server canceled a declined payment", async () => {
  answers = [
    Response.json(order("open")),
    Response.json(order("canceled", { failure: "No funds." })),
  ];
  const provider = providerThat(() => Promise.resolve({ error: { type: "card_error" } }));

  expect(await pay(wanted, provider, () => undefined)).toEqual({
    kind: "failed",
    message: "No funds.",
  });
});

it("believes the server if the answer was lost after the charge", async () => {
  answers = [Response.json(order("open")), new TypeError("lost"), Response.json(order("paid"))];
  const provider = providerThat(() => Promise.reject(new TypeError("Failed to fetch")));

  const outcome = await pay(wanted, provider, () => undefined);

  expect(outcome).toEqual({ kind: "left", address: "/payment-success?order=u1" });
});

it("needs no card for a price of nothing", async () => {
  answers = [Response.json(order("paid")), Response.json(order("paid"))];

  const outcome = await pay({ ...wanted, total: 0 }, null, () => undefined);

  expect(outcome.kind).toBe("left");
});

it("gives back the server's refusal", async () => {
  const refusal = {
    code: "PRICE_CHANGED",
    title: "x",
    status: 409,
    detail: "The price has changed",
  };
  answers = [Response.json(refusal, { status: 409 })];

  const outcome = await pay(
    wanted,
    providerThat(() => Promise.resolve({})),
    () => undefined,
  );

  expect(outcome.kind === "refused" && outcome.error.problem.code).toBe("PRICE_CHANGED");
});
