import { beforeEach, expect, it, vi } from "vitest";

import { startOfflineParts } from "./offlineParts";

const page = vi.hoisted(() => ({ startOfflinePage: vi.fn(), press: vi.fn() }));
vi.mock("../offline/controls/page", () => ({ startOfflinePage: page.startOfflinePage }));
const signOut = vi.hoisted(() => ({ askBeforeSignOut: vi.fn() }));
vi.mock("../offline/controls/signOut", () => signOut);

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
const sent = vi.fn((event: SubmitEvent) => event.preventDefault());

function draw(): { button: HTMLButtonElement; form: HTMLFormElement } {
  document.head.innerHTML = '<meta name="study-user" content="amara">';
  document.body.innerHTML = `<button data-offline-get>Download</button>
    <form data-sign-out><button>Sign out</button></form>`;
  const form = document.querySelector("form")!;
  form.addEventListener("submit", sent);
  return { button: document.querySelector("button")!, form };
}

const leave = (form: HTMLFormElement): void => form.querySelector("button")?.click();

beforeEach(() => {
  page.press.mockResolvedValue(undefined);
  page.startOfflinePage.mockReturnValue({ press: page.press, update: vi.fn() });
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(true);
});

it("loads nothing until a button is pressed, and asks only where something is stored", async () => {
  const { button, form } = draw();
  startOfflineParts();
  await settled();
  expect(page.startOfflinePage).not.toHaveBeenCalled();

  button.click();
  button.click(); // it is busy
  await settled();
  expect(page.startOfflinePage.mock.calls).toEqual([["amara"]]);
  expect(page.press.mock.calls).toEqual([[button]]);

  leave(form);
  expect(sent).toHaveBeenCalledTimes(1);
  expect(signOut.askBeforeSignOut).not.toHaveBeenCalled();

  localStorage.setItem("study.offline", "amara");
  signOut.askBeforeSignOut.mockResolvedValueOnce(false).mockRejectedValueOnce(new Error("broken"));
  leave(form);
  leave(form); // pressed twice, it asks once
  await settled();
  expect(signOut.askBeforeSignOut).toHaveBeenCalledTimes(1);
  expect(sent).toHaveBeenCalledTimes(1); // the learner stays

  leave(form); // where the question fails, signing out does not
  await settled();
  expect(sent).toHaveBeenCalledTimes(2);
});

it("shows what is stored", async () => {
  localStorage.setItem("study.offline", "amara");
  draw();
  startOfflineParts();
  await settled();

  expect(page.startOfflinePage).toHaveBeenCalledTimes(1);
});
