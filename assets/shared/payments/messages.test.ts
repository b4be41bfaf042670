import { expect, it } from "vitest";

import { paymentErrors } from "../api/paymentErrors.gen";
import { paymentMessage } from "./messages";

// The table of the specification: what is reported, and what a user reads.
it.each([
  [{ type: "card_error", message: "Your card has expired." }, "Your card has expired."],
  [{ type: "card_error" }, "Your card was declined"],
  [{ type: "validation_error", message: "x" }, "Invalid payment information provided"],
  [{ type: "api_connection_error", message: "x" }, "Network error occurred. Please try again"],
  [{ type: "api_error", message: "x" }, "A server error occurred. Please try again"],
  [{ type: "authentication_error", message: "x" }, "Authentication with payment provider failed"],
  [{ type: "rate_limit_error", message: "x" }, "Too many requests. Please wait and try again"],
  [{ type: "idempotency_error", message: "Used before." }, "Used before."],
  [{ type: "idempotency_error" }, "Payment processing error"],
  [null, "An unknown error occurred"],
  [undefined, "An unknown error occurred"],
  [new Error("Broken."), "Broken."],
  [new Error(""), "An unexpected error occurred"],
])("%o reads %s", (error, message) => {
  expect(paymentMessage(error)).toBe(message);
});

it("has nine kinds of errors", () => {
  expect(Object.keys(paymentErrors)).toHaveLength(9);
});
