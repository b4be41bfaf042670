import {
  type ComponentType,
  createElement,
  type ReactNode,
  useCallback,
  useEffect,
  useReducer,
  useState,
} from "react";

/** A part whose code is on its way, or could not be fetched. */
export type Missing = { hasFailed: boolean; onRetry: () => void };

type OnDemandProps = {
  /** Shown until the part is there; without it, nothing is. */
  instead?: ((missing: Missing) => ReactNode) | undefined;
  /** It could not be fetched. */
  onFailed?: (() => void) | undefined;
  /** Its elements are on the page. */
  onShown?: (() => void) | undefined;
};

type OnDemand<P> = {
  (props: P & OnDemandProps): ReactNode;
  /** Fetch the code before it is shown; answers whether it is there. */
  fetch: () => Promise<boolean>;
};

/**
 * A component whose code is fetched when it is first shown, or before. Unlike with `lazy` of React, a fetch that fails
 * takes nothing else from the page, and is tried again: when the component is shown again, when the device is online
 * again, and when the user asks for it.
 */
export function onDemand<P extends object>(load: () => Promise<ComponentType<P>>): OnDemand<P> {
  let Loaded: ComponentType<P> | null = null;
  let loading: Promise<boolean> | null = null;
  const fetch = (): Promise<boolean> =>
    (loading ??= load().then(
      (found) => {
        Loaded = found;
        return true;
      },
      () => {
        loading = null;
        return false;
      },
    ));
  function Shown({ instead, onFailed, onShown, ...props }: P & OnDemandProps): ReactNode {
    const [, render] = useReducer((count: number) => count + 1, 0);
    const [hasFailed, setFailed] = useState(false);
    const isThere = Loaded !== null;
    const retry = useCallback(() => {
      void fetch().then((isFetched) => (isFetched ? render() : setFailed(true)));
    }, []);
    useEffect(() => {
      if (isThere) return undefined;
      retry();
      addEventListener("online", retry);
      return () => removeEventListener("online", retry);
    }, [isThere, retry]);
    useEffect(() => {
      if (isThere) onShown?.();
    }, [isThere, onShown]);
    useEffect(() => {
      if (hasFailed && !isThere) onFailed?.();
    }, [hasFailed, isThere, onFailed]);
    return Loaded
      ? createElement(Loaded, props as unknown as P)
      : instead?.({ hasFailed, onRetry: retry });
  }
  return Object.assign(Shown, { fetch });
}
