import { QueryClientProvider } from "@tanstack/react-query";
import { type ComponentType, StrictMode } from "react";
import { createRoot, type Root } from "react-dom/client";

import { type IslandModule, registry } from "../islands/registry";
import { AuthProvider } from "./auth/AuthProvider";
import { ErrorBoundary } from "./errors/ErrorBoundary";
import { queries } from "./queryClient";

const roots = new WeakMap<HTMLElement, Root>();

/** The props that the page wrote as JSON behind the spot. */
export function propsOf(spot: HTMLElement): object {
  const script = spot.nextElementSibling;
  if (!(script instanceof HTMLScriptElement) || script.type !== "application/json") return {};
  return JSON.parse(script.textContent) as object;
}

/**
 * Put the island that `data-island` names in the place of the spot's fallback. Its failure to load
 * or to render shows in the spot; `data-scope="page"` says that the spot is the whole page.
 * @param released resolves when no pointer is held down
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

  let onRetry: (() => void) | undefined;
  const { Island: Loaded, readServerForm } = await load().catch((reason: unknown): IslandModule => {
    // A browser may remember that a module did not come, and after an update of the site it is
    // called something else: only a fresh page can bring it.
    onRetry = () => location.reload();
    return { Island: failing(reason) };
  });
  // A press that began on the fallback must end there, or nobody would hear it.
  await released();
  const props = propsOf(spot);
  readServerForm?.(spot, props);
  const support = document.querySelector<HTMLMetaElement>('meta[name="study-support"]')?.content;
  const root = createRoot(spot);
  roots.set(spot, root);
  root.render(
    <StrictMode>
      <ErrorBoundary
        isWholePage={spot.dataset.scope === "page"}
        support={support}
        onRetry={onRetry}
      >
        <AuthProvider>
          <QueryClientProvider client={queries}>
            <Loaded {...props} />
          </QueryClientProvider>
        </AuthProvider>
      </ErrorBoundary>
    </StrictMode>,
  );
}

/** An island whose code did not arrive: it fails where the boundary catches it. */
function failing(reason: unknown): ComponentType {
  return function Failing() {
    throw reason;
  };
}
