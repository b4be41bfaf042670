import { ApiError } from "../api/errors";

const CODES = new Set([
  "NETWORK_OFFLINE",
  "NETWORK_FAILED",
  "NETWORK_TIMEOUT",
  "SERVER_ERROR",
  "RATE_LIMIT_EXCEEDED",
  "MAINTENANCE_MODE",
]);

/** Whether a failure passes by itself: a lost connection, a server that is away or busy. */
export const isTemporary = (reason: unknown): boolean =>
  !(reason instanceof ApiError) || CODES.has(reason.problem.code);
