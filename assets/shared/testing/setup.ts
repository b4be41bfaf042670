// Testing Library cleans up by itself only where test functions are globals, which here they are not.
import { cleanup } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterAll, afterEach, vi } from "vitest";

// jsdom lacks these. What tests need of them is here; layout and media are for the browser tests.
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

// There is no layout: an element takes room unless it or something around it is hidden or closed.
Element.prototype.getClientRects = function (this: Element) {
  const closed = this.closest("details:not([open])");
  const isHidden = this.closest("[hidden]") !== null;
  const isClosed = closed !== null && this !== closed && !this.closest("summary");
  return (isHidden || isClosed ? [] : [new DOMRect()]) as unknown as DOMRectList;
};

// All files of a worker share one page. What a file listens to there ends with the file; what user-event listens to
// must not, as it prepares a page once: without it, React takes no notice of what is typed.
userEvent.setup();
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
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  localStorage.clear();
  sessionStorage.clear();
  document.head.replaceChildren();
  document.body.replaceChildren();
  document.documentElement.removeAttribute("class");
});
