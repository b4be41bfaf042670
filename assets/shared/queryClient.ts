/** The query client that all islands share. */
import { QueryClient } from "@tanstack/react-query";

import { ApiError } from "./api/errors";
import { NotAuthenticated } from "./auth/session";

const RETRIES = 3;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
const UNUSED_CACHED_MS = 5 * 60_000;

/** Whether to retry a failed call; a response of 4xx would be the same again. */
export function shouldRetry(failures: number, error: unknown): boolean {
  if (error instanceof NotAuthenticated) return false;
  if (error instanceof ApiError && error.status >= 400 && error.status < 500) return false;
  return failures < RETRIES;
}

/** Milliseconds before retry number `attempt` (from 0): 1 s, 2 s, 4 s … at most 30 s. */
export function retryDelay(attempt: number, error?: unknown): number {
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) * 1000 : 0;
  return Math.min(Math.max(FIRST_DELAY_MS * 2 ** attempt, asked), MAX_DELAY_MS);
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        gcTime: UNUSED_CACHED_MS,
        staleTime: 30_000,
        retry: shouldRetry,
        retryDelay,
        // A call to this host may work while the browser considers itself offline.
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

export const queryClient = createQueryClient();
