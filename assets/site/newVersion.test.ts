import { beforeEach, expect, it } from "vitest";

import { startNewVersion } from "./newVersion";

class FakeSocket extends EventTarget {
  readyState = 1;
  close = (): void => undefined;
  send = (): void => undefined;
}

let socket: FakeSocket;
let address: string;
const say = (message: object): unknown =>
  socket.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
const shown = (): (string | undefined)[] =>
  [...document.querySelectorAll<HTMLElement>("[data-version]:not([hidden])")].map(
    (one) => one.dataset.version,
  );

beforeEach(() => {
  document.body.innerHTML = `<div data-new-version="/ws/lessons/1/?seen=now">
    <div hidden data-version="new"><p class="notice__title">A new version</p><p data-note>Reload.</p></div>
    <div hidden data-version="gone"><p class="notice__title">Taken out</p></div></div>`;
  startNewVersion(document.querySelector<HTMLElement>("[data-new-version]")!, (opened) => {
    address = opened;
    socket = new FakeSocket();
    return socket as unknown as WebSocket;
  });
});

it("says in place that a version was published, with the words of its author", () => {
  expect(address).toContain("/ws/lessons/1/?seen=now");
  say({ type: "other" });
  expect(shown()).toEqual([]);

  say({ type: "version", note: "", is_removed: false });
  expect(document.querySelector("[data-note]")?.textContent).toBe("Reload.");
  say({ type: "version", note: "<b>Two lessons</b>", is_removed: false });

  expect(shown()).toEqual(["new"]);
  expect(document.querySelector("[data-note]")?.textContent).toBe("<b>Two lessons</b>");
  expect(document.querySelector("[data-live=polite]")?.textContent).toContain("A new version");
});

it("says that the lesson was taken out, and takes it back when a later version has it", () => {
  say({ type: "version", note: "", is_removed: true });
  expect(shown()).toEqual(["gone"]);
  say({ type: "version", note: "", is_removed: false });
  expect(shown()).toEqual(["new"]);
});

it("lets the quiz ask for its rules again when an exception was granted", () => {
  let heard = 0;
  addEventListener("study:exceptions", () => (heard += 1), { once: true });
  say({ type: "exceptions" });

  expect(heard).toBe(1);
  expect(shown()).toEqual([]);
});
