/** API calls of this island. */
import { authenticatedApi, reach, unwrap } from "../../shared/api/client";
import type { components } from "../../shared/api/schema.gen";
import { newUid } from "../../shared/newUid";
import type { Cue } from "./cues";

type Schemas = components["schemas"];
export type SheetData = Omit<Schemas["CaptionSheetOut"], "cues"> & { cues: Cue[] };
export type Chapter = Schemas["CaptionChapter"];
export type Saved = Omit<Schemas["CueChangesOut"], "cues"> & { cues: Cue[] };

/** Names this tab, so that the server knows its own changes. */
export const CLIENT = newUid();

const at = (uid: string, language: string) => ({ params: { path: { uid, language } } });

export function fetchSheet(uid: string, language: string): Promise<SheetData> {
  return unwrap(
    authenticatedApi.GET("/api/v1/studio/lessons/{uid}/captions/{language}/", at(uid, language)),
  ) as Promise<SheetData>;
}

export type Changes = {
  author: string;
  since: number;
  base: string;
  source_encoding: string;
  cues: Cue[];
};

export function saveCues(
  uid: string,
  language: string,
  changes: Changes,
  keepalive: boolean,
): Promise<Saved> {
  return unwrap(
    authenticatedApi.PATCH("/api/v1/studio/lessons/{uid}/captions/{language}/", {
      ...at(uid, language),
      body: { client: CLIENT, ...changes },
      keepalive,
      fetch: reach, // how the save is going is said in the head
    }),
  ) as Promise<Saved>;
}

export function publishSheet(
  uid: string,
  language: string,
  revision: number,
  replaces: boolean,
): Promise<SheetData> {
  return unwrap(
    authenticatedApi.POST("/api/v1/studio/lessons/{uid}/captions/{language}/publish/", {
      ...at(uid, language),
      body: { revision, replaces },
    }),
  ) as Promise<SheetData>;
}

export function discardSheet(uid: string, language: string): Promise<SheetData> {
  return unwrap(
    authenticatedApi.DELETE("/api/v1/studio/lessons/{uid}/captions/{language}/", at(uid, language)),
  ) as Promise<SheetData>;
}

export async function saveChapters(
  uid: string,
  chapters: readonly Chapter[],
  before: readonly Chapter[],
): Promise<Chapter[]> {
  const answer = await unwrap(
    authenticatedApi.PUT("/api/v1/studio/lessons/{uid}/chapters/", {
      params: { path: { uid } },
      body: { chapters: [...chapters], before: [...before] },
    }),
  );
  return answer.chapters;
}

/** The loudness of a video over time, and its pauses. */
export type Sound = {
  /** Peaks a second. */
  rate: number;
  peaks: Uint8Array;
  silences: readonly (readonly number[])[];
  /** Begin and end of cues that are cut from the speech. */
  cues: readonly (readonly number[])[];
};

/** The sound of a video; null while nothing is known of it. */
export async function fetchSound(uid: string): Promise<Sound | null> {
  const { state, rate, peaks, silences, cues } = await unwrap(
    authenticatedApi.GET("/api/v1/videos/{uid}/sound/", {
      params: { path: { uid } },
      fetch: reach, // nobody waits for it
    }),
  );
  if (state !== "ready" || rate <= 0) return null;
  const bytes = Uint8Array.from(atob(peaks), (character) => character.charCodeAt(0));
  return { rate, peaks: bytes, silences, cues };
}

export type AutomaticResult = Schemas["AutomaticCaptionsResult"];
export type AutomaticKind = AutomaticResult["kind"];
type Automatic = Schemas["AutomaticCaptionsOut"];

export function beginTranslation(
  video: string,
  language: string,
  source: string,
  texts: readonly string[],
): Promise<Automatic> {
  return unwrap(
    authenticatedApi.POST("/api/v1/videos/{uid}/translation/", {
      params: { path: { uid: video } },
      body: { language, source_language: source, texts: [...texts] },
    }),
  );
}

export function beginTranscription(video: string, language: string): Promise<Automatic> {
  return unwrap(
    authenticatedApi.POST("/api/v1/videos/{uid}/transcription/", {
      params: { path: { uid: video } },
      body: { language },
    }),
  );
}

/** What was asked for last, the newest first. */
export async function listAutomatic(video: string): Promise<Automatic[]> {
  const page = await unwrap(
    authenticatedApi.GET("/api/v1/videos/{uid}/automatic-captions/", {
      params: { path: { uid: video } },
      fetch: reach, // nobody waits for it
    }),
  );
  return page.results;
}

export function fetchAutomatic(uid: string): Promise<AutomaticResult> {
  return unwrap(
    authenticatedApi.GET("/api/v1/automatic-captions/{uid}/", {
      params: { path: { uid } },
      fetch: reach, // it is asked for again and again
    }),
  );
}

export async function cancelAutomatic(uid: string): Promise<void> {
  await unwrap(
    authenticatedApi.DELETE("/api/v1/automatic-captions/{uid}/", { params: { path: { uid } } }),
  );
}

/** Show the frame at a second before the video plays. */
export async function chooseCover(video: string, at: number): Promise<void> {
  await unwrap(
    authenticatedApi.POST("/api/v1/videos/{uid}/cover/", {
      params: { path: { uid: video } },
      body: { at },
    }),
  );
}
