import type { ComponentType } from "react";

/** The exports of the index.tsx of an island. Its props come from the server as JSON. */
export type IslandModule = {
  // The one untyped place: the template passes the props that the type of the island names.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  Island: ComponentType<any>;
  /** Fetches what the island needs at once, before it takes the place of the form: nothing is lost while it waits. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  prepare?: (props: any) => Promise<void>;
  /** Reads what was entered in the server-rendered form before the island replaces it. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readServerForm?: (spot: HTMLElement, props: any) => void;
};

/** Name in `data-island` → import of the island. */
export const registry: Record<string, () => Promise<IslandModule>> = {
  player: () => import("./player"),
  captions: () => import("./captions"),
  retention: () => import("./retention"),
  uploader: () => import("./uploader"),
  files: () => import("./files"),
  "lesson-file": () => import("./lesson-file"),
  "card-form": () => import("./card-form"),
  checkout: () => import("./checkout"),
  premium: () => import("./premium"),
  "payment-status": () => import("./payment-status"),
  quiz: () => import("./quiz"),
  timeline: () => import("./timeline"),
  practice: () => import("./practice"),
  tutor: () => import("./tutor"),
  "offline-library": () => import("./offline-library"),
  editor: () => import("./editor"),
  wizard: () => import("./wizard"),
  "question-preview": () => import("./question-preview"),
  "sample-todos": () => import("./sample-todos"),
  "shared-todos": () => import("./shared-todos"),
  "sample-names": () => import("./sample-names"),
};
