import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { startLiveForm } from "./liveForm";

const PAGE = (total: string): string => `
  <aside data-live-part="sum"><b data-live-said="Total: ${total}">${total}</b></aside>
  <form action="/premium/teams" data-live-form="seats what">
    <button name="action" value="update"></button>
    <span><button name="action" value="fewer" data-step="-1"></button>
      <input name="seats" value="5" maxlength="3" />
      <button name="action" value="more" data-step="1"></button></span>
    <input type="radio" name="what" value="premium" checked /><input type="radio" name="what" value="course" />
    <input name="email" value="" />
    <div data-live-part="send"><button id="send">Order for ${total}</button></div>
  </form>`;

const field = (name: string): HTMLInputElement =>
  document.querySelector<HTMLInputElement>(`input[name="${name}"]`)!;
const shown = (): string => document.querySelector("aside")!.textContent.trim();

let sent: URLSearchParams[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  sent = [];
  document.body.innerHTML = PAGE("$700");
  vi.stubGlobal("fetch", (_address: string, { body }: { body: FormData }) => {
    sent.push(new URLSearchParams(body as unknown as Record<string, string>));
    const total = `$${String(Number(sent.at(-1)?.get("seats")) * 140)}`;
    return Promise.resolve({
      ok: true,
      redirected: false,
      text: () => Promise.resolve(PAGE(total)),
    });
  });
  startLiveForm(document.querySelector("form")!);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("asks the server once after typing, and replaces the parts that changed", async () => {
  for (const value of ["1", "10"]) {
    field("seats").value = value;
    field("seats").dispatchEvent(new Event("input", { bubbles: true }));
  }
  await vi.runAllTimersAsync();
  expect(sent).toHaveLength(1);
  expect(sent[0]?.get("action")).toBe("update");
  expect(shown()).toBe("$1400");
  expect(document.getElementById("send")?.textContent).toBe("Order for $1400");
  expect(field("seats").value).toBe("10");
});

it("counts up and down between 1 and what the field can hold", async () => {
  const [fewer, more] = document.querySelectorAll<HTMLButtonElement>("button[data-step]");
  fewer?.click();
  expect(field("seats").value).toBe("4");
  field("seats").value = "999";
  more?.click();
  expect(field("seats").value).toBe("999");
  field("seats").value = "1";
  fewer?.click();
  expect(field("seats").value).toBe("1");
  await vi.runAllTimersAsync();
  expect(shown()).toBe("$140");
});

it("asks at once for a choice, keeps the focus in a part, and leaves other fields alone", async () => {
  document.getElementById("send")?.focus();
  field("email").dispatchEvent(new Event("input", { bubbles: true }));
  await vi.runAllTimersAsync();
  expect(sent).toHaveLength(0);
  field("seats").value = "7";
  field("what").dispatchEvent(new Event("input", { bubbles: true }));
  await vi.runAllTimersAsync();
  expect(sent).toHaveLength(1);
  expect(document.activeElement).toBe(document.getElementById("send"));
});

it("shows nothing of an answer that another one has overtaken", async () => {
  const answers: ((text: string) => void)[] = [];
  vi.stubGlobal("fetch", () =>
    Promise.resolve({
      ok: true,
      redirected: false,
      text: () => new Promise<string>((resolve) => answers.push(resolve)),
    }),
  );
  for (const value of ["premium", "course"]) {
    field("what").value = value;
    field("what").dispatchEvent(new Event("input", { bubbles: true }));
    await vi.runAllTimersAsync();
  }
  answers[1]?.(PAGE("$2"));
  answers[0]?.(PAGE("$1"));
  await vi.runAllTimersAsync();
  expect(shown()).toBe("$2");
});
