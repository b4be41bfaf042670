import type { ComponentType } from "react";

/** What an island's index.tsx exports. Its props come from the server as JSON. */
export type IslandModule = {
  // The one place where types end: the page promises the props that the island's type names.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  Island: ComponentType<any>;
  /** Takes from the fallback what was entered there, before the island stands in its place. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  adopt?: (spot: HTMLElement, props: any) => void;
};

/** Name in `data-island` → how to fetch the island. */
export const registry: Record<string, () => Promise<IslandModule>> = {
  player: () => import("./player"),
  uploader: () => import("./uploader"),
  "lesson-file": () => import("./lesson-file"),
  quiz: () => import("./quiz"),
};
