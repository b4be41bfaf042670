import { type ComponentType, createElement, type ReactNode, useEffect, useReducer } from "react";

type Later<P> = {
  (props: P): ReactNode;
  /** Fetch the code, so that it is there once it is shown. */
  fetch: () => Promise<void>;
};

/**
 * A component whose code is fetched when it is first shown; until then, nothing is shown. Unlike `lazy` of React, a
 * fetch that fails takes nothing else from the page, and is tried again when the component is shown again.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): Later<P> {
  let Loaded: ComponentType<P> | null = null;
  const fetch = async (): Promise<void> => {
    Loaded ??= await load().catch(() => null);
  };
  function Shown(props: P): ReactNode {
    const [, render] = useReducer((count: number) => count + 1, 0);
    useEffect(() => {
      if (!Loaded) void fetch().then(render);
    }, []);
    return Loaded && createElement(Loaded, props);
  }
  return Object.assign(Shown, { fetch });
}
