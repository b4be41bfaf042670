import { beforeEach, expect, it } from "vitest";

import { startPasswords } from "./passwords";

beforeEach(() => {
  document.body.innerHTML = `<form>
    <input id="p" type="password" aria-describedby="p-rules">
    <button type="button" data-reveal="p" aria-pressed="false">Show</button>
    <ul data-rules="p" data-met="Met:" data-needed="Still needed:">
      <li data-rule=".{8}"><span data-state></span>8 or more characters</li>
      <li data-rule="\\p{Lu}"><span data-state></span>An uppercase letter</li>
      <li data-rule="\\p{Ll}"><span data-state></span>A lowercase letter</li>
      <li data-rule="\\p{Nd}"><span data-state></span>A number</li>
    </ul>
    <input id="c" type="password" data-matches="p" data-mismatch="Passwords do not match">
    <div id="c-e"></div></form>`;
  startPasswords();
});

const input = (id: string): HTMLInputElement => document.querySelector<HTMLInputElement>(`#${id}`)!;
function type(id: string, value: string): void {
  input(id).value = value;
  input(id).dispatchEvent(new Event("input", { bubbles: true }));
}
const states = (): string[] => [...document.querySelectorAll("li")].map((li) => li.className);
const complaint = (): string => document.getElementById("c-e")!.textContent;

it.each([
  ["", ["", "", "", ""]],
  ["short", ["", "", "met", ""]],
  ["quietriver26", ["met", "", "met", "met"]],
  ["QuietRiver26", ["met", "met", "met", "met"]],
  ["ÉTÉÀLAMER", ["met", "met", "", ""]],
  ["été à la mer ٣", ["met", "", "met", "met"]],
])("marks the rules that %j meets", (value, expected) => {
  type("p", value);

  expect(states()).toEqual(expected);
});

it("says the state of a rule to screen readers", () => {
  type("p", "quiet");

  expect(document.querySelectorAll("li")[0]!.textContent).toBe(
    "Still needed: 8 or more characters",
  );
  expect(document.querySelectorAll("li")[2]!.textContent).toBe("Met: A lowercase letter");
});

it("counts a character beyond the basic plane as one", () => {
  type("p", "𝒳𝒴𝒵𝒳");

  expect(states()[0]).toBe("");
});

it("shows and hides what was typed", () => {
  const button = document.querySelector("button")!;
  button.click();
  expect([input("p").type, button.getAttribute("aria-pressed")]).toEqual(["text", "true"]);

  button.click();
  expect([input("p").type, button.getAttribute("aria-pressed")]).toEqual(["password", "false"]);
});

it("shows a mismatch once the second password is as long as the first, or left", () => {
  type("p", "QuietRiver26");
  type("c", "QuietRo");
  expect(complaint()).toBe("");

  input("c").dispatchEvent(new Event("blur"));
  expect(complaint()).toBe("Passwords do not match");
  expect(input("c").getAttribute("aria-invalid")).toBe("true");
  expect(input("c").getAttribute("aria-describedby")).toBe("c-e");
});

it("removes the error as soon as both are the same", () => {
  type("p", "QuietRiver26");
  type("c", "QuietRover26");
  expect(complaint()).toBe("Passwords do not match");

  type("c", "QuietRiver26");
  expect(complaint()).toBe("");
  expect(input("c").hasAttribute("aria-invalid")).toBe(false);
});

it("notices a later change of the first password", () => {
  type("p", "QuietRiver26");
  type("c", "QuietRiver26");
  type("p", "QuietRiver27");

  expect(complaint()).toBe("Passwords do not match");
});

/** Send the form; whether it leaves the page. */
function send(): boolean {
  const form = document.querySelector("form")!;
  return form.dispatchEvent(new SubmitEvent("submit", { cancelable: true, bubbles: true }));
}

it.each(["QuietRover26", ""])("does not send a form whose second password is %j", (second) => {
  input("p").value = "QuietRiver26";
  input("c").value = second;

  expect(send()).toBe(false);
  expect(complaint()).toBe("Passwords do not match");
  expect(document.activeElement).toBe(input("c"));
  expect(input("p").value).toBe("QuietRiver26");

  type("c", "QuietRiver26");
  expect(send()).toBe(true);
  expect(complaint()).toBe("");
});

it("sends a form without passwords, which the server validates", () => {
  expect(send()).toBe(true);
});

it("shows no error while the second is empty", () => {
  type("p", "QuietRiver26");
  input("c").dispatchEvent(new Event("blur"));

  expect(complaint()).toBe("");
});
