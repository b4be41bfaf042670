/** API calls of the tutor. */
import { authenticatedApi, reach, unwrap } from "../../shared/api/client";
import type { Calls } from "./store";
import type { ChatList, ChatRow, Suggestion, TutorStatus } from "./types";

const path = (uid: string) => ({ params: { path: { uid } } });

export const calls: Calls = {
  startChat: (body) => unwrap(authenticatedApi.POST("/api/v1/tutor/chats/", { body })),
  fetchChat: (uid, before) =>
    unwrap(
      authenticatedApi.GET("/api/v1/tutor/chats/{uid}/", {
        params: { path: { uid }, query: before === undefined ? {} : { before } },
      }),
    ),
  ask: (chat, body) =>
    unwrap(authenticatedApi.POST("/api/v1/tutor/chats/{uid}/exchanges/", { ...path(chat), body })),
  editQuestion: (exchange, question, key) =>
    unwrap(
      authenticatedApi.PUT("/api/v1/tutor/exchanges/{uid}/", {
        ...path(exchange),
        body: { question, key },
      }),
    ),
  regenerate: (exchange) =>
    unwrap(authenticatedApi.POST("/api/v1/tutor/exchanges/{uid}/answers/", path(exchange))),
  continueAnswer: (uid) =>
    unwrap(authenticatedApi.POST("/api/v1/tutor/answers/{uid}/continue/", path(uid))),
  // Nobody waits for a poll: it shows no message about a slow response.
  fetchAnswer: (uid) =>
    unwrap(authenticatedApi.GET("/api/v1/tutor/answers/{uid}/", { ...path(uid), fetch: reach })),
  stop: (uid) => unwrap(authenticatedApi.POST("/api/v1/tutor/answers/{uid}/stop/", path(uid))),
  rate: (uid, rating, reason = "") =>
    unwrap(
      authenticatedApi.PUT("/api/v1/tutor/answers/{uid}/rating/", {
        ...path(uid),
        body: { rating, reason },
      }),
    ),
  setScope: (chat, body) =>
    unwrap(authenticatedApi.PATCH("/api/v1/tutor/chats/{uid}/", { ...path(chat), body })),
};

export function addCards(answer: string, cards: number[]): Promise<{ added: number }> {
  return unwrap(
    authenticatedApi.POST("/api/v1/tutor/answers/{uid}/cards/", {
      ...path(answer),
      body: { cards },
    }),
  );
}

export function fetchChats(search: string, cursor?: string): Promise<ChatList> {
  const query = { search, ...(cursor === undefined ? {} : { cursor }) };
  return unwrap(authenticatedApi.GET("/api/v1/tutor/chats/", { params: { query } }));
}

export function renameChat(uid: string, title: string): Promise<ChatRow> {
  return unwrap(
    authenticatedApi.PATCH("/api/v1/tutor/chats/{uid}/", { ...path(uid), body: { title } }),
  );
}

export async function deleteChat(uid: string): Promise<void> {
  await unwrap(authenticatedApi.DELETE("/api/v1/tutor/chats/{uid}/", path(uid)));
}

export async function restoreChat(uid: string): Promise<void> {
  await unwrap(authenticatedApi.POST("/api/v1/tutor/chats/{uid}/restore/", path(uid)));
}

export function fetchStatus(): Promise<TutorStatus> {
  return unwrap(authenticatedApi.GET("/api/v1/tutor/status/", { fetch: reach }));
}

export async function fetchSuggestions(
  course: string | null,
  lesson: string | null,
): Promise<Suggestion[]> {
  const query = { ...(course ? { course } : {}), ...(lesson ? { lesson } : {}) };
  const found = await unwrap(
    authenticatedApi.GET("/api/v1/tutor/suggestions/", { params: { query }, fetch: reach }),
  );
  return found.questions;
}
