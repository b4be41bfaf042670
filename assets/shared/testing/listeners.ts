import { afterEach, beforeEach, vi } from "vitest";

/** Remove, after each test, the listeners that it added to window and document. */
export function forgetListenersAfterEach(): void {
  let stop: AbortController;
  const onWindow = window.addEventListener.bind(window);
  const onDocument = document.addEventListener.bind(document);
  const listenWith =
    (listen: typeof onWindow) =>
    (type: string, listener: unknown, options?: boolean | AddEventListenerOptions) => {
      const given = typeof options === "object" ? options : { capture: options ?? false };
      const signal = given.signal ? AbortSignal.any([given.signal, stop.signal]) : stop.signal;
      listen(type, listener as EventListener, { ...given, signal });
    };
  beforeEach(() => {
    stop = new AbortController();
    vi.spyOn(window, "addEventListener").mockImplementation(listenWith(onWindow));
    vi.spyOn(document, "addEventListener").mockImplementation(
      listenWith(onDocument as typeof onWindow),
    );
  });
  afterEach(() => stop.abort());
}
