import { onlineManager } from "@tanstack/react-query";
// Testing Library cleans up automatically only if the test functions are globals.
import { cleanup } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterAll, afterEach, vi } from "vitest";

// What jsdom lacks and tests need. Layout and media are tested in browsers.
if (!("showModal" in HTMLDialogElement.prototype)) {
  Object.defineProperty(HTMLDialogElement.prototype, "showModal", {
    configurable: true,
    value(this: HTMLDialogElement) {
      this.setAttribute("open", "");
    },
  });
  Object.defineProperty(HTMLDialogElement.prototype, "close", {
    configurable: true,
    value(this: HTMLDialogElement) {
      if (!this.hasAttribute("open")) return;
      this.removeAttribute("open");
      this.dispatchEvent(new Event("close"));
    },
  });
}
window.matchMedia = (query: string) =>
  Object.assign(new EventTarget(), { matches: false, media: query }) as MediaQueryList;

// Channels reach other threads, where other files are tested.
const OwnChannel = globalThis.BroadcastChannel;
if (!OwnChannel.name.startsWith("Thread"))
  globalThis.BroadcastChannel = class ThreadChannel extends OwnChannel {
    constructor(name: string) {
      super(`${process.env["VITEST_POOL_ID"] ?? ""}/${name}`);
    }
  };

// jsdom has no layout: an element counts as visible unless it or an ancestor is hidden or closed.
Element.prototype.getClientRects = function (this: Element) {
  const closed = this.closest("details:not([open])");
  const isHidden = this.closest("[hidden]") !== null;
  const isClosed = closed !== null && this !== closed && !this.closest("summary");
  return (isHidden || isClosed ? [] : [new DOMRect()]) as unknown as DOMRectList;
};

// All files of a worker share one page. Listeners of a file are removed after it, but not those of user-event, which
// prepares the page once: without them, React does not notice typed text.
userEvent.setup();
history.replaceState(null, "", "/"); // a file may have left another address
const places = [window, document] as EventTarget[];
const listening: (() => void)[] = [];
for (const place of places) {
  const add = place.addEventListener.bind(place);
  place.addEventListener = (...[type, listener, options]: Parameters<typeof add>) => {
    add(type, listener, options);
    listening.push(() => {
      place.removeEventListener(type, listener, options);
    });
  };
}
afterAll(() => {
  for (const stop of listening.splice(0)) stop();
  // What a file has defined in place of the browser's own, such as locks that nobody gives back.
  for (const name of Object.getOwnPropertyNames(navigator)) Reflect.deleteProperty(navigator, name);
});

afterEach(() => {
  cleanup();
  onlineManager.setOnline(true); // it believes the last event of a test that was offline, in the next file too
  vi.useRealTimers();
  localStorage.clear();
  sessionStorage.clear();
  document.head.replaceChildren();
  document.body.replaceChildren();
  document.documentElement.removeAttribute("class");
});
