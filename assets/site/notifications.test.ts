import { beforeEach, expect, it, vi } from "vitest";

import { startNotifications } from "./notifications";

vi.mock("./notificationSocket", () => ({ listenForNotifications: vi.fn() }));

const answer = vi.fn<() => Promise<Response>>();
startNotifications({ writeLocalTimes: () => undefined, onSignedOut: () => undefined });

beforeEach(() => {
  vi.stubGlobal("fetch", answer);
  document.body.innerHTML = `<b data-unread>1</b><ul><li class="note is-new"><a href="#there">Headline</a>
    <form data-read action="/read/1"><button>Mark as read</button></form></li></ul>`;
});

const press = (): void => document.querySelector("button")!.click();
const row = (): HTMLElement => document.querySelector(".note")!;
const toasts = (): (string | undefined)[] =>
  [...document.querySelectorAll(".toast p")].map((one) => one.textContent);

it("shows a notification as read once the server has marked it", async () => {
  answer.mockResolvedValue(Response.json({ unread: 0 }));
  press();
  expect(row().className).toContain("is-new");
  await vi.waitFor(() => expect(row().className).not.toContain("is-new"));

  expect(document.querySelector<HTMLElement>("[data-unread]")!.hidden).toBe(true);
  expect(toasts()).toEqual([]);
});

it.each([
  ["offline", () => Promise.reject(new TypeError("Failed to fetch"))],
  ["refused", () => Promise.resolve(new Response("", { status: 403 }))],
  ["broken", () => Promise.resolve(new Response("", { status: 500 }))],
])("leaves it as new and says so when the server is %s", async (_, failure) => {
  answer.mockImplementation(failure);
  press();
  await vi.waitFor(() => expect(toasts()).toEqual(["That couldn't be saved. Try again."]));

  expect(row().className).toContain("is-new");
  expect(document.querySelector("form")).not.toBeNull();
});
