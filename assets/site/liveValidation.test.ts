import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { startLiveValidation } from "./liveValidation";

const answers: Record<string, string[]>[] = [];
const asked = vi.fn<(address: string, body: FormData) => void>();

beforeEach(() => {
  vi.useFakeTimers();
  answers.length = 0;
  asked.mockReset();
  vi.stubGlobal("fetch", (address: string, options: RequestInit) => {
    asked(address, options.body as FormData);
    return Promise.resolve({ ok: true, json: () => Promise.resolve(answers.shift() ?? {}) });
  });
  document.body.innerHTML = `
    <form data-check="/check">
      <div class="field"><input name="email" id="id_email"></div>
      <div class="field"><input name="password" id="id_password" aria-describedby="rules"><div id="id_password-e"></div></div>
      <div class="field"><input name="terms" id="id_terms" type="checkbox"></div>
    </form>`;
  startLiveValidation();
});
afterEach(() => vi.useRealTimers());

const field = (name: string): HTMLInputElement => document.querySelector(`[name=${name}]`)!;
const said = (name: string): string => document.getElementById(`id_${name}-e`)?.textContent ?? "";
async function type(name: string, value: string, isLeft = true): Promise<void> {
  field(name).value = value;
  field(name).dispatchEvent(new Event("input", { bubbles: true }));
  if (isLeft) field(name).dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  await vi.advanceTimersByTimeAsync(400);
}

it("shows the messages of the server for a field that was left, and describes it by them", async () => {
  answers.push({ email: ["Enter a valid email address."], password: ["Choose a password."] });
  await type("email", "amara");

  expect(said("email")).toBe("Enter a valid email address.");
  expect(field("email").getAttribute("aria-invalid")).toBe("true");
  expect(field("email").getAttribute("aria-describedby")).toBe("id_email-e");
  expect(said("password")).toBe("");
  expect(document.querySelector("[data-live=polite]")?.textContent).toContain("valid email");
});

it("shows nothing while a field is first filled in", async () => {
  await type("email", "ama", false);

  expect(asked).not.toHaveBeenCalled();
});

it("removes the error as soon as the field is valid, and keeps its other descriptions", async () => {
  answers.push({ password: ["This password is too common."] }, {});
  await type("password", "Password1");
  expect(field("password").getAttribute("aria-describedby")).toBe("rules id_password-e");

  await type("password", "QuietRiver26", false);

  expect(said("password")).toBe("");
  expect(field("password").hasAttribute("aria-invalid")).toBe(false);
  expect(field("password").getAttribute("aria-describedby")).toBe("rules");
});

it("validates once for several keys, with the whole form", async () => {
  answers.push({});
  await type("email", "a@example.org");
  for (const value of ["b", "bc", "bcd"]) {
    field("email").value = value;
    field("email").dispatchEvent(new Event("input", { bubbles: true }));
  }
  await vi.advanceTimersByTimeAsync(400);

  expect(asked).toHaveBeenCalledTimes(2);
  expect(asked.mock.lastCall?.[0]).toBe("/check");
  expect(asked.mock.lastCall?.[1].get("email")).toBe("bcd");
});

it("ignores a field that was passed through without input", async () => {
  field("email").dispatchEvent(new FocusEvent("focusout", { bubbles: true }));
  await vi.advanceTimersByTimeAsync(400);

  expect(asked).not.toHaveBeenCalled();
});

it("validates a checkbox once it was pressed", async () => {
  answers.push({ terms: ["You must agree to the terms of service"] });
  await type("terms", "on", false);

  expect(said("terms")).toBe("You must agree to the terms of service");
});

it("removes valid fields from the error summary", async () => {
  document.querySelector("form")!.insertAdjacentHTML(
    "beforebegin",
    `<div data-errors><p data-count>2 fields need attention</p><ul>
      <li><a href="#id_email">Email</a>: Enter your email address.</li>
      <li><a href="#id_password">Password</a>: Choose a password.</li></ul></div>`,
  );
  answers.push({ email: ["Enter a valid email address."], password: ["Choose a password."] });
  await type("email", "amara");
  const summary = (): string | undefined =>
    document.querySelector("[data-errors]")?.textContent.replace(/\s+/g, " ").trim();
  expect(summary()).toContain("Email: Enter a valid email address.");

  answers.push({ password: ["Choose a password."] });
  await type("email", "amara@example.org");
  expect(summary()).toBe("1 field needs attention Password: Choose a password.");

  answers.push({});
  await type("password", "QuietRiver26");
  expect(document.querySelector("[data-errors]")).toBeNull();
});
