import { act, fireEvent, render, screen } from "@testing-library/react";
import { StrictMode } from "react";
import { beforeEach, expect, it, vi } from "vitest";

import {
  ApiError,
  type ErrorCode,
  errorCodes,
  errorOfResponse,
  lookup,
  makeError,
  problemOf,
} from "../api/errors";
import { ErrorPanel } from "./ErrorPanel";

beforeEach(() => {
  vi.useFakeTimers();
});

async function tick(ms: number): Promise<void> {
  await act(() => vi.advanceTimersByTimeAsync(ms));
}
const spoken = (): string | null =>
  document.querySelector("[data-live=polite]")?.textContent ?? null;

/** An error that the server sent with its texts. */
const sent = (code: ErrorCode, params = {}): ApiError =>
  errorOfResponse(new Response(null, { status: 400 }), {
    code,
    params,
    title: `The title of ${code}`,
    detail: `What ${code} means.`,
  });

it.each(errorCodes)("shows %s with a title, a sentence and an icon", (code: ErrorCode) => {
  const error = sent(code, { course: "Algebra", lesson: "x", wait: 9, role: "admin" });
  const { container } = render(<ErrorPanel error={error} />);

  expect(screen.getByText(`The title of ${code}`)).toBeDefined();
  expect(screen.getByText(`What ${code} means.`)).toBeDefined();
  expect(container.textContent).not.toContain("%(");
  // eslint-disable-next-line testing-library/no-container -- an icon has no role
  const icon = container.querySelector("svg.notice__icon use");
  expect(icon?.getAttribute("href")).toBe(`#${lookup(code).icon}`);
});

it("has words for an error that came without texts", () => {
  const error = errorOfResponse(new Response(null, { status: 402 }), { code: "PRICE_CHANGED" });
  render(<ErrorPanel error={error} />);

  expect(error.is("PRICE_CHANGED")).toBe(true);
  expect(screen.getByText("Something went wrong")).toBeDefined();
});

it("takes its icon from the sprite that the page uses", () => {
  document.body.innerHTML =
    '<svg class="i"><use href="/static/dist/icons-ABCD1234.svg#bell"/></svg>';
  const { container } = render(<ErrorPanel error={makeError("NETWORK_OFFLINE")} />);

  // eslint-disable-next-line testing-library/no-container -- an icon has no role
  expect(container.querySelector("use")?.getAttribute("href")).toBe(
    "/static/dist/icons-ABCD1234.svg#wifi-off",
  );
});

it.each([
  ["SERVER_ERROR", "alert"],
  ["VIDEO_NETWORK_ERROR", "status"],
  ["VIDEO_QUALITY_DEGRADED", "status"],
] as const)("speaks %s as %s", (code, role) => {
  render(<ErrorPanel error={makeError(code)} />);

  expect(screen.getByRole(role)).toBeDefined();
});

it.each([
  ["VIDEO_NETWORK_ERROR", 3],
  ["VIDEO_LOAD_FAILED", 5],
  ["SERVER_ERROR", 10],
  ["AI_UNAVAILABLE", 15],
] as const)("tries %s again after %i seconds", async (code, seconds) => {
  const retry = vi.fn();
  render(
    <StrictMode>
      <ErrorPanel error={sent(code)} onRetry={retry} />
    </StrictMode>,
  );
  expect(screen.getByText(`Retrying in ${seconds} s`)).toBeDefined();
  expect(spoken()).toBe(`Retrying in ${seconds} seconds`);

  await tick(seconds * 1000 - 200);
  expect(retry).not.toHaveBeenCalled();
  expect(spoken()).toBe(`Retrying in ${seconds} seconds`);

  await tick(200);
  expect(retry).toHaveBeenCalledOnce();
});

it("stops the countdown, and retries at once, by its buttons", async () => {
  const retry = vi.fn();
  render(<ErrorPanel error={makeError("SERVER_ERROR")} onRetry={retry} />);
  fireEvent.click(screen.getByRole("button", { name: "Stop retrying" }));
  await tick(60_000);
  expect(retry).not.toHaveBeenCalled();
  expect(screen.queryByText("Retrying in 10 s")).toBeNull();

  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  await tick(0);
  expect(retry).toHaveBeenCalledOnce();
});

it("stops after three failures in a row and keeps the button", async () => {
  const retry = vi.fn(() => Promise.reject(new Error("no")));
  const { rerender } = render(<ErrorPanel error={makeError("SERVER_ERROR")} onRetry={retry} />);
  for (let failure = 1; failure <= 3; failure += 1) {
    await tick(10_000);
    expect(retry).toHaveBeenCalledTimes(failure);
    rerender(<ErrorPanel error={makeError("SERVER_ERROR")} onRetry={retry} />);
  }
  await tick(60_000);

  expect(retry).toHaveBeenCalledTimes(3);
  expect(screen.getByRole("button", { name: "Try again" })).toBeDefined();
});

it("retries when the connection is back, even after it has stopped", async () => {
  const retry = vi.fn();
  render(<ErrorPanel error={makeError("VIDEO_NETWORK_ERROR")} onRetry={retry} />);
  fireEvent.click(screen.getByRole("button", { name: "Stop retrying" }));
  fireEvent(window, new Event("online"));
  await tick(0);

  expect(retry).toHaveBeenCalledOnce();
});

it("links to help, with data of the error in the address", () => {
  render(<ErrorPanel error={sent("PREREQUISITE_NOT_MET", { course: "a b", lesson: "2.6" })} />);

  expect(screen.getByRole("link").getAttribute("href")).toBe("/course/lessons?course=a%20b");
});

it("leaves out a link whose data is missing", () => {
  render(<ErrorPanel error={sent("PREREQUISITE_NOT_MET")} />);

  expect(screen.queryByRole("link")).toBeNull();
});

it("runs the handler that the catalogue names", () => {
  const resend = vi.fn();
  render(
    <ErrorPanel
      error={sent("AUTH_EMAIL_NOT_VERIFIED")}
      handlers={{ resend_verification: resend }}
    />,
  );
  fireEvent.click(screen.getByRole("button"));

  expect(resend).toHaveBeenCalledOnce();
});

it("sends the verification email again by default", async () => {
  const fetch = vi.fn<(request: Request) => Promise<Response>>(() =>
    Promise.resolve(Response.json({ wait: 0 }, { status: 202 })),
  );
  vi.stubGlobal("fetch", fetch);
  vi.useRealTimers();
  render(<ErrorPanel error={sent("AUTH_EMAIL_NOT_VERIFIED")} />);
  fireEvent.click(screen.getByRole("button", { name: "Resend email" }));

  await screen.findByText("We've sent you a new link and code.");
  expect(fetch.mock.calls[0]?.[0].url).toContain("/api/v1/auth/resend-verification/");
  vi.unstubAllGlobals();
});

it("shows the reference that is in the log", () => {
  const problem = { ...problemOf("SERVER_ERROR", 500), request_id: "SP-2B7K" };
  render(<ErrorPanel error={new ApiError(500, problem)} />);

  expect(screen.getByText("Reference SP-2B7K")).toBeDefined();
});

it("can be dismissed if the caller allows it", () => {
  const dismiss = vi.fn();
  render(<ErrorPanel error={makeError("VIDEO_QUALITY_DEGRADED")} onDismiss={dismiss} />);
  fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));

  expect(dismiss).toHaveBeenCalledOnce();
});
