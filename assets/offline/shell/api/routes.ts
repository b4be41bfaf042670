import type { Store } from "../store";

/** What a call asks for. `uid` and `other` are the parts of its path. */
export type Call = {
  store: Store;
  uid: string;
  other: string;
  query: URLSearchParams;
  body: unknown;
};
/** "GET /api/v1/…" with {uid} and {other} → what answers it; null: the server must. */
export type Routes = Record<string, (call: Call) => Promise<Response | null>>;
