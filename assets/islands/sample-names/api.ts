/** The one call of this island. */
import { api, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import { Network } from "../../shared/samples/network";

export type NamePage = components["schemas"]["PaginatedSampleNameOutList"];

export const network = new Network();

export function findNames(q: string, page: number, signal: AbortSignal): Promise<NamePage> {
  const params = { query: { q, page } };
  return unwrap(api.GET("/api/demo-names", { params, signal, fetch: network.fetch }));
}
