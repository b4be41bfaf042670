import { QueryClientProvider } from "@tanstack/react-query";
import { StrictMode, useEffect } from "react";
import { flushSync } from "react-dom";
import { createRoot, type Root } from "react-dom/client";

import { type IslandModule, registry } from "../islands/registry";
import { AuthProvider } from "./auth/AuthProvider";
import { ErrorBoundary } from "./errors/ErrorBoundary";
import { queryClient } from "./queryClient";
import { rememberFocus } from "./rememberFocus";

const roots = new WeakMap<HTMLElement, Root>();

/** The props that the template wrote as JSON after the mount point. */
export function propsOf(spot: HTMLElement): object {
  const script = spot.nextElementSibling;
  if (!(script instanceof HTMLScriptElement) || script.type !== "application/json") return {};
  return JSON.parse(script.textContent) as object;
}

/**
 * Replace the fallback of a mount point with the island that `data-island` names. A failure to load or render it is
 * shown there; with `data-scope="page"`, as the failure of the whole page. A form stays, with what was typed, and shows
 * the message that the server wrote for it.
 * @param released resolves when no pointer is held down and no word is being composed
 */
export async function mount(
  spot: HTMLElement,
  islands: Record<string, () => Promise<IslandModule>> = registry,
  released: () => Promise<void> | undefined = () => undefined,
): Promise<void> {
  if (roots.has(spot)) return;
  const name = spot.dataset.island ?? "";
  const load = islands[name];
  if (!load) throw new Error(`No island is called “${name}”`);

  const message = spot.querySelector<HTMLElement>(":scope > [data-failed]");
  const retry = message?.querySelector("button");
  const showMessage = (): void => {
    if (!message || !retry) return;
    message.hidden = false;
    retry.onclick = async () => {
      message.hidden = true;
      await mount(spot, islands, released);
      retry.focus(); // if it failed again
    };
  };
  let onRetry: (() => void) | undefined;
  let loaded: IslandModule;
  try {
    loaded = await load();
  } catch (reason) {
    if (message) {
      showMessage();
      return;
    }
    // Browsers may cache the failed import, and an update of the site renames modules: only a reload helps.
    onRetry = () => location.reload();
    loaded = {
      Island: () => {
        throw reason;
      },
    };
  }
  const { Island: Loaded, prepare, readServerForm } = loaded;
  const props = propsOf(spot);
  try {
    await prepare?.(props);
  } catch {
    return; // offline: the form of the page does
  }
  // A press that started on the fallback must end there, or its click would be lost.
  await released();
  // That part of the page was replaced meanwhile, or its island is there: it was asked for twice.
  if (!spot.isConnected || roots.has(spot)) return;
  const support = document.querySelector<HTMLMetaElement>('meta[name="study-support"]')?.content;
  const root = createRoot(spot);
  roots.set(spot, root);
  readServerForm?.(spot, props);
  const refocus = rememberFocus(spot);
  unmountWithin(spot); // the islands of the form
  const island = (
    <StrictMode>
      <ErrorBoundary
        isWholePage={spot.dataset.scope === "page"}
        support={support}
        onRetry={onRetry}
      >
        <AuthProvider>
          <QueryClientProvider client={queryClient}>
            <Loaded {...props} />
            <Mounted onMount={refocus} />
          </QueryClientProvider>
        </AuthProvider>
      </ErrorBoundary>
    </StrictMode>
  );
  // A key that is pressed between the reading of the form and its replacement would be lost.
  if (readServerForm) flushSync(() => root.render(island));
  else root.render(island);
}

/** End the islands within a part of the page that is about to be removed. */
export function unmountWithin(part: ParentNode): void {
  for (const spot of part.querySelectorAll<HTMLElement>("[data-island]")) {
    roots.get(spot)?.unmount();
    roots.delete(spot);
  }
}

function Mounted({ onMount }: { onMount: () => void }): null {
  useEffect(onMount, [onMount]);
  return null;
}
