/**
 * Why downloads have stopped where not even that could be written down, because the storage is full. Each page finds it
 * out by itself.
 */
import { announceEvent } from "./channel";
import type { OfflineState, Refusal } from "./types";

const STOPPED: readonly OfflineState[] = ["waiting", "downloading", "held"];

let why: { user: string; refusal: Refusal } | null = null;

/** All that waits for room. */
export function noteUnwritten(user: string, refusal: Refusal): void {
  why = { user, refusal };
  announceEvent({ kind: "lessons" });
}

/** It is tried again. */
export function forgetUnwritten(): void {
  why = null;
}

/** Why a lesson in this state has stopped; null if it has not. */
export function readUnwritten(user: string, state: OfflineState): Refusal | null {
  return why?.user === user && STOPPED.includes(state) ? why.refusal : null;
}
