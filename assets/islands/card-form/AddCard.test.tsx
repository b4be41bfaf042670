import type { Stripe } from "@stripe/stripe-js";
import { render, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { session } from "../../shared/auth/browser";
import { tokenFor } from "../../shared/testing/tokens";
import { AddCard } from "./AddCard";

let calls: string[];
let confirmation: { error?: { type: string; message: string } };
let refuses: boolean;

/** The provider's script: its fields are there at once and hold a complete card. */
function stripe(): Stripe {
  const elements = {
    create: () => ({
      on: (name: string, tell: () => void) => name === "ready" && tell(),
      mount: () => undefined,
    }),
    getElement: () => null,
    submit: () => Promise.resolve({}),
    update: () => undefined,
  };
  const confirmSetup = () => {
    calls.push("confirm");
    return Promise.resolve(confirmation);
  };
  return { elements: () => elements, confirmSetup } as unknown as Stripe;
}

beforeEach(() => {
  calls = [];
  confirmation = {};
  refuses = false;
  session.login(
    { id: "u", username: "mia", email: "mia@example.com", role: "student" },
    tokenFor(900),
  );
  vi.stubGlobal("fetch", (request: Request) => Promise.resolve(answer(request)));
  Element.prototype.scrollIntoView = () => undefined; // as the environment lays nothing out
  // The page's colors are read from a canvas, which this environment lacks.
  HTMLCanvasElement.prototype.getContext = () => null;
});

function answer(request: Request): Response {
  const { pathname } = new URL(request.url);
  calls.push(`${request.method} ${pathname}`);
  if (refuses)
    return Response.json(
      { code: "TOO_MANY_CARDS", title: "Too many cards", status: 409, detail: "Remove one." },
      { status: 409 },
    );
  if (pathname.endsWith("/cards/"))
    return Response.json({ intent: "seti_1", client_secret: "secret" }, { status: 201 });
  return Response.json({ uid: "7", is_default: false });
}

function open(load: () => Promise<Stripe> = () => Promise.resolve(stripe())) {
  const go = vi.fn();
  render(
    <AddCard
      provider={{ key: "pk_test", script: "" }}
      currency="usd"
      has_cards
      has_premium
      load={load}
      go={go}
    />,
  );
  return go;
}

const press = (name: string) => userEvent.click(screen.getByRole("button", { name }));

it("saves a card, makes it the default if wanted, and shows the cards", async () => {
  const go = open();
  await press("Add a card");
  expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Add a card" }));
  await userEvent.click(screen.getByLabelText("Use this card for Premium"));
  await press("Save card");

  await waitFor(() => expect(go).toHaveBeenCalledWith("/billing/methods?saved=7"));
  expect(calls).toEqual([
    "POST /api/v1/billing/cards/",
    "confirm",
    "POST /api/v1/billing/cards/done/",
    "PUT /api/v1/billing/cards/7/",
  ]);
});

it("says what the bank said, stores nothing, and lets the user try another card", async () => {
  confirmation = { error: { type: "card_error", message: "Your card was declined." } };
  const go = open();
  await press("Add a card");
  await press("Save card");

  expect((await screen.findByRole("alert")).textContent).toContain(
    "Your card was declined. Nothing was charged.",
  );
  expect(calls).toEqual(["POST /api/v1/billing/cards/", "confirm"]);
  confirmation = {};
  await press("Save card");
  await waitFor(() => expect(go).toHaveBeenCalled());
});

it("shows a refusal of the server", async () => {
  refuses = true;
  const go = open();
  await press("Add a card");
  await press("Save card");

  await screen.findByText("Remove one.");
  expect(go).not.toHaveBeenCalled();
});

it("offers to load the card form again if the provider's script does not load", async () => {
  const load = vi
    .fn<() => Promise<Stripe>>()
    .mockRejectedValueOnce(new Error("blocked"))
    .mockImplementation(() => Promise.resolve(stripe()));
  open(load);
  expect(load).not.toHaveBeenCalled();
  await press("Add a card");

  expect((await screen.findByRole("alert")).textContent).toContain("couldn't be loaded");
  await press("Try again");
  await screen.findByRole("button", { name: "Save card" });
  expect(load).toHaveBeenCalledTimes(2);
});

it("gives the focus back when it is closed", async () => {
  open();
  await press("Add a card");
  await press("Cancel");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Add a card" }));
});
