import { beforeAll, beforeEach, expect, it, vi } from "vitest";

import { ask, startConfirming } from "./confirm";
import { hasUnsentInput, startForms } from "./forms";

const sent = vi.fn<(form: HTMLFormElement) => void>();

beforeAll(() => {
  startConfirming();
  startForms();
  addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault(); // jsdom cannot navigate
    sent(event.target as HTMLFormElement);
  });
});
beforeEach(() => {
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
});

function show(html: string): void {
  document.body.innerHTML = html;
}
const button = (): HTMLButtonElement => document.querySelector("button")!;
const dialogButton = (name: string): HTMLButtonElement =>
  [...document.querySelectorAll<HTMLButtonElement>("dialog button")].find(
    (one) => one.textContent === name || one.ariaLabel === name,
  )!;
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

it("sends a form once and shows that it is being sent", () => {
  show('<form method="post"><button>Save</button></form>');
  button().click();
  button().click();

  expect(sent).toHaveBeenCalledOnce();
  expect(button().getAttribute("aria-busy")).toBe("true");
  expect(button().querySelector(".spin")).not.toBeNull();
});

function leave(): boolean {
  return dispatchEvent(new Event("beforeunload", { cancelable: true }));
}

it("asks before an editor is left with unsaved text, but not after it was undone", () => {
  show(`<form method="post" data-guard><textarea name="body">Old</textarea>
    <select><option>a</option><option>b</option></select><input type="checkbox" checked>
    <input type="hidden" value="x"></form><form><input name="q"></form>`);
  const [body, kind, preview, query] = ["textarea", "select", "[type=checkbox]", "[name=q]"].map(
    (one) => document.querySelector(one),
  ) as [HTMLTextAreaElement, HTMLSelectElement, HTMLInputElement, HTMLInputElement];
  query.value = "not an editor";
  expect(leave()).toBe(true);

  body.value = "New";
  expect(leave()).toBe(false);
  body.value = "Old";
  expect(leave()).toBe(true);
  kind.value = "b";
  expect(leave()).toBe(false);
  kind.value = "a";
  preview.checked = false;
  expect(leave()).toBe(false);
});

it("lets an editor be sent, unless another one is unsaved", () => {
  show(`<form method="post" data-guard><input name="title" value=""><button>Save</button></form>
    <form method="post" data-guard id="rules"><input name="percent" value="70"></form>`);
  const [title, percent] = [...document.querySelectorAll("input")] as [
    HTMLInputElement,
    HTMLInputElement,
  ];
  title.value = "Typed";
  button().click();
  expect(leave()).toBe(true);

  percent.value = "80";
  expect(leave()).toBe(false);
});

it("enables the button again if the user stays", async () => {
  show(`<form method="post"><button>Move</button></form>
    <form method="post" data-guard="unsaved"><input></form>`);
  button().click();
  expect(leave()).toBe(false);

  await vi.waitFor(() => expect(button().hasAttribute("aria-busy")).toBe(false));
});

it("does not send a form while offline, keeps its text, and says so", () => {
  const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  show('<form method="post" data-guard><input name="title"><button>Save</button></form>');
  const field = document.querySelector("input")!;
  field.value = "Typed";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  button().click();

  expect(sent).not.toHaveBeenCalled();
  expect([field.value, hasUnsentInput(), leave()]).toEqual(["Typed", true, false]);
  expect(button().hasAttribute("aria-busy")).toBe(false);
  expect(document.querySelector(".toast p")?.textContent).toBe(
    "You're offline, so nothing was sent. Try again when you're back online.",
  );

  online.mockReturnValue(true);
  button().click();
  expect(sent).toHaveBeenCalledOnce();
});

it("ignores a form that another script has handled, and lets a search open the offline page", () => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  show('<form method="post"><button>Complete</button></form>');
  document.querySelector("form")!.addEventListener("submit", (event) => event.preventDefault());
  button().click();
  expect(document.querySelector(".toast")).toBeNull();

  show('<form method="get"><button>Find</button></form>');
  button().click();
  expect(sent).toHaveBeenCalledOnce();
});

it("lets a search be sent again and again", () => {
  show('<form method="get"><button>Find</button></form>');
  button().click();
  button().click();

  expect(sent).toHaveBeenCalledTimes(2);
  expect(button().hasAttribute("aria-busy")).toBe(false);
});

it("sends a form with data-many several times", () => {
  show('<form method="post" data-many><button>Download</button></form>');
  button().click();
  button().click();

  expect(sent).toHaveBeenCalledTimes(2);
});

it("sends a form for a download several times", () => {
  show('<form method="post"><button data-download>Download</button></form>');
  button().click();
  button().click();

  expect(sent).toHaveBeenCalledTimes(2);
  expect(button().hasAttribute("aria-busy")).toBe(false);
});

it("is ready again on a page from the back/forward cache", () => {
  show('<form method="post"><button>Save</button></form>');
  button().click();
  dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));

  expect(button().hasAttribute("aria-busy")).toBe(false);
  expect(button().querySelector(".spin")).toBeNull();
  button().click();
  expect(sent).toHaveBeenCalledTimes(2);
});

it("focuses the list of errors, else the first field with one", () => {
  show('<main><div data-errors>Two fields</div><input aria-invalid="true"></main>');
  startForms();
  expect(document.activeElement?.textContent).toBe("Two fields");

  show('<main><input id="good"><input id="bad" aria-invalid="true"></main>');
  startForms();
  expect(document.activeElement?.id).toBe("bad");
});

it("removes an error of the server as soon as the field is valid", () => {
  show(`<input type="email" id="mail" required aria-invalid="true" aria-describedby="mail-e">
    <p id="mail-e">Enter a valid email address.</p>`);
  const field = document.querySelector("input")!;
  const type = (value: string): void => {
    field.value = value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  };

  type("amara@");
  expect(field.getAttribute("aria-invalid")).toBe("true");
  type("amara@example.org");
  expect(field.hasAttribute("aria-invalid")).toBe(false);
  expect(document.getElementById("mail-e")!.textContent).toBe("");
});

it("knows whether typed text was not sent", () => {
  show('<form data-search><input></form><form method="post"><input><button>Send</button></form>');
  const [search, field] = document.querySelectorAll("input");
  search!.dispatchEvent(new Event("input", { bubbles: true }));
  expect(hasUnsentInput()).toBe(false);

  field!.dispatchEvent(new Event("input", { bubbles: true }));
  expect(hasUnsentInput()).toBe(true);

  button().click();
  expect(hasUnsentInput()).toBe(false);

  show('<div data-island="wizard"><input></div>');
  document.querySelector("input")!.dispatchEvent(new Event("input", { bubbles: true }));
  expect(hasUnsentInput()).toBe(true);
});

it("leaves the errors of islands and of forms that save by themselves to them", () => {
  show(`<div data-island="wizard"><input id="a" aria-invalid="true"><p id="a-e">Ana changed this</p></div>
    <form data-lesson-form="1"><input id="b" aria-invalid="true"><p id="b-e">Ana changed this</p></form>
    <div data-island="editor"><textarea id="c" aria-invalid="true"></textarea></div><p id="c-e">Too short</p>`);
  for (const field of document.querySelectorAll<HTMLInputElement>("input, textarea")) {
    field.value = "mine";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  const left = [...document.querySelectorAll("p")].map(({ textContent }) => textContent);
  expect(left).toEqual(["Ana changed this", "Ana changed this", ""]);
});

it("asks before a destructive form is sent, with the focus on the safe answer", async () => {
  show(
    `<form method="post" data-confirm="Delete the course?" data-confirm-text="It cannot be undone."
      data-confirm-label="Delete" data-confirm-keep="Keep it"><button>Delete…</button></form>`,
  );
  button().click();

  expect(sent).not.toHaveBeenCalled();
  expect(document.querySelector("dialog h2")?.textContent).toBe("Delete the course?");
  expect(document.querySelector("dialog p")?.textContent).toBe("It cannot be undone.");
  expect(document.activeElement).toBe(dialogButton("Keep it"));

  dialogButton("Keep it").click();
  await settled();
  expect(sent).not.toHaveBeenCalled();
  expect(document.querySelector("dialog")).toBeNull();

  button().click();
  dialogButton("Delete").click();
  await settled();
  expect(sent).toHaveBeenCalledOnce();
});

it("asks again the next time", async () => {
  show('<form method="post" data-many data-confirm="Sure?"><button>Go</button></form>');
  for (const times of [1, 2]) {
    button().click();
    dialogButton("Continue").click();
    await settled();
    expect(sent).toHaveBeenCalledTimes(times);
  }
});

it("asks for one button of a form only, and sends that button", async () => {
  show(
    `<form method="post"><button name="do" value="drop" data-confirm="Drop?">Drop</button></form>`,
  );
  const form = document.querySelector("form")!;
  const submitted = vi.spyOn(form, "requestSubmit");
  button().click();
  dialogButton("Continue").click();
  await settled();

  expect(submitted).toHaveBeenCalledExactlyOnceWith(button());
});

it.each(["the cross", "a press beside the dialog", "Escape"])("treats %s as no", async (way) => {
  const answer = ask({ title: "Sure?" });
  const dialog = document.querySelector("dialog")!;
  if (way === "the cross") dialogButton("Close").click();
  else if (way === "Escape")
    dialog.close(); // the browser closes a modal dialog on Escape
  else dialog.dispatchEvent(new Event("pointerdown", { bubbles: true }));

  await expect(answer).resolves.toBe(false);
});
