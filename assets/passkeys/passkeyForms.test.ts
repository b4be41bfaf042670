import { afterEach, beforeEach, expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { type Dialogs, startPasskeys } from "./passkeyForms";

const question = { publicKey: { challenge: "AAAA" } };
const sent: Record<string, string>[] = [];
let offered: { signal: AbortSignal; choose: (answer: Record<string, unknown>) => void }[] = [];
let prove = vi.fn<Dialogs["prove"]>();

const dialogs = (canOffer: boolean): Dialogs => ({
  make: () => Promise.resolve(null),
  prove: (asked) => prove(asked),
  offer: (_asked, signal) =>
    new Promise((choose, refuse) => {
      offered.push({ signal, choose });
      signal.addEventListener("abort", () => refuse(new DOMException("", "AbortError")));
    }),
  canOffer: () => Promise.resolve(canOffer),
});

const form = (name: string): HTMLFormElement => document.querySelector(`#${name}`)!;
const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);
const said = (): string => document.querySelector("[data-passkey-said]")!.textContent;

/** What leaves the page, field by field. */
function watchSending(): void {
  document.addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    sent.push(Object.fromEntries(new FormData(event.target as HTMLFormElement)) as never);
  });
}

forgetListenersAfterEach();

beforeEach(() => {
  vi.useFakeTimers();
  sent.length = 0;
  offered = [];
  prove = vi.fn(() => Promise.reject(new DOMException("", "NotAllowedError")));
  vi.stubGlobal(
    "fetch",
    vi.fn(() => Promise.resolve({ ok: true, json: () => Promise.resolve(question) })),
  );
  document.body.innerHTML = `
    <form id="words"><input type="checkbox" name="remember" id="box" checked><button>Sign in</button></form>
    <form id="passkey" data-passkey="prove" data-ask="/ask" data-offer data-along="box">
      <button>Passkey</button><div data-passkey-said></div>
      <input type="hidden" name="credential" value=""><input type="hidden" name="csrfmiddlewaretoken" value="t">
    </form>`;
});
afterEach(() => vi.useRealTimers());

async function start(canOffer = true): Promise<void> {
  startPasskeys(document, dialogs(canOffer));
  watchSending();
  await settled();
}

it("sends the passkey chosen in the email field with the checked box", async () => {
  await start();
  expect(fetch).toHaveBeenCalledTimes(1);

  offered[0]?.choose({ id: "mine" });
  await settled();

  expect(sent).toEqual([{ credential: '{"id":"mine"}', csrfmiddlewaretoken: "t", remember: "on" }]);
});

it("does not send an unchecked box", async () => {
  await start();
  (document.getElementById("box") as HTMLInputElement).checked = false;

  offered[0]?.choose({ id: "mine" });
  await settled();

  expect(sent).toEqual([{ credential: '{"id":"mine"}', csrfmiddlewaretoken: "t" }]);
});

it("requests no options if the browser has no conditional mediation", async () => {
  await start(false);

  expect(fetch).not.toHaveBeenCalled();
});

it("ends the offer when the password form is sent", async () => {
  await start();

  form("words").requestSubmit();
  await settled();

  expect(offered[0]?.signal.aborted).toBe(true);
  expect(offered).toHaveLength(1);
  expect(said()).toBe("");
});

it("offers nothing if a form was sent before the browser said that it can", async () => {
  startPasskeys(document, dialogs(true));
  watchSending();
  form("words").requestSubmit();
  await settled();

  expect(fetch).not.toHaveBeenCalled();
  expect(offered).toEqual([]);
});

it("ends the offer before the dialog opens, and restarts it after", async () => {
  await start();

  form("passkey").requestSubmit();
  expect(offered[0]?.signal.aborted).toBe(true);
  await settled();

  expect(prove).toHaveBeenCalledTimes(1);
  expect(said()).toContain("The passkey wasn't confirmed");
  expect(offered).toHaveLength(2);
  expect(offered[1]?.signal.aborted).toBe(false);
});

it("requests new options before the challenge expires", async () => {
  await start();

  await vi.advanceTimersByTimeAsync(4 * 60_000);

  expect(offered).toHaveLength(2);
  expect(offered[0]?.signal.aborted).toBe(true);
});
