import { beforeEach, expect, it, vi } from "vitest";

import { forgetListenersAfterEach } from "../shared/testing/listeners";
import { startAutoSave } from "./autoSave";

forgetListenersAfterEach();

let answer: () => Promise<Response>;
const saved = (): Promise<Response> => Promise.resolve(new Response(null, { status: 204 }));
const failed = (status: number) => (): Promise<Response> =>
  Promise.resolve(new Response("", { status }));
const post = vi.fn((_: string, init: RequestInit) => {
  const { body } = init;
  return body instanceof FormData ? answer() : Promise.reject(new Error("no form"));
});

beforeEach(() => {
  post.mockClear();
  vi.stubGlobal("fetch", post);
  document.body.innerHTML = `<form action="/save" data-auto-save><p data-row>
    <input type="checkbox" name="site" checked>
    <select name="mail"><option value="now">At once</option><option value="daily" selected>Daily</option></select></p>
    <p data-saved hidden><span></span></p></form>`;
  startAutoSave();
});

const box = (): HTMLInputElement => document.querySelector("input")!;
const list = (): HTMLSelectElement => document.querySelector("select")!;
const choose = (mail: string): void => {
  list().value = mail;
  list().dispatchEvent(new Event("change", { bubbles: true }));
};
const toasts = (): (string | undefined)[] =>
  [...document.querySelectorAll(".toast p")].map((one) => one.textContent);
const said = (): HTMLElement => document.querySelector("[data-saved]")!;

it("saves a row when it changes, and says when", async () => {
  answer = saved;
  choose("now");
  await vi.waitFor(() => expect(said().hidden).toBe(false));

  const body = post.mock.lastCall?.[1].body as FormData;
  expect([...body.entries()]).toEqual([
    ["site", "on"],
    ["mail", "now"],
  ]);
});

it.each([
  ["offline", () => Promise.reject(new TypeError("Failed to fetch"))],
  ["refused", failed(403)],
  ["broken", failed(500)],
  ["signed out", failed(200)], // the page to sign in
])("sets a choice back and says so when the server is %s", async (_, failure) => {
  answer = failure;
  box().click();
  await vi.waitFor(() => expect(toasts()).toHaveLength(1));

  expect(toasts()).toEqual(["Your choice couldn't be saved and was set back. Try again."]);
  expect([box().checked, list().value, said().hidden]).toEqual([true, "daily", true]);
});

it("restores the last saved value, not that of the page", async () => {
  answer = saved;
  choose("now");
  await vi.waitFor(() => expect(said().hidden).toBe(false));
  answer = failed(500);
  box().click();
  await vi.waitFor(() => expect(toasts()).toHaveLength(1));

  expect([box().checked, list().value]).toEqual([true, "now"]);
});

it("leaves a newer choice alone when an older one fails", async () => {
  answer = () => {
    answer = saved;
    return failed(500)();
  };
  box().click();
  choose("now");
  await vi.waitFor(() => expect(said().hidden).toBe(false));

  expect([box().checked, list().value, toasts()]).toEqual([false, "now", []]);
});
