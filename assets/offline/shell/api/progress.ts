/** Progress of videos, texts and files without a connection. */
import type { components } from "../../../shared/api/schema.gen";
import { newUid } from "../../../shared/newUid";
import type { LessonPackage } from "../../types";
import { countOf } from "../courseState";
import type { Store } from "../store";
import { playerOf, waitOf } from "../pageProps";
import { merge, type Pair, secondsIn, subtract } from "../../watchedPairs";
import { addWatched, isWatched } from "../watching";
import type { Call, Routes } from "./routes";
import { refuse, respond } from "./responses";

type Progress = components["schemas"]["ProgressOut"];
type SaveProgress = components["schemas"]["SaveProgressInRequest"];

export const progressRoutes: Routes = {
  "POST /api/v1/lessons/{uid}/progress/": saveProgress,
  "POST /api/v1/lessons/{uid}/complete/": completeLesson,
};

/** Page → lesson → the seconds that its player has reported: it reports all of them, again and again. */
const reported = new WeakMap<Store, Map<string, Pair[]>>();

function reportedOn(store: Store): Map<string, Pair[]> {
  const known = reported.get(store) ?? new Map<string, Pair[]>();
  reported.set(store, known);
  return known;
}

async function saveProgress({ store, uid, body }: Call): Promise<Response | null> {
  const pack = await store.readPackage(uid);
  if (!pack) return null;
  const { position, watched } = body as SaveProgress;
  const player = playerOf(pack);
  const pairs = (watched ?? []) as Pair[];
  const before = reportedOn(store);
  // What the server has refused since counts again once it is watched again.
  const played = subtract(pairs, before.get(uid) ?? []);
  let isNew = false;
  const local = await store.changeLocal(uid, (known) => {
    const next = addWatched(known, { position: position, watched: played }, store.now());
    const all = merge([...(player?.watched ?? []), ...next.watched]);
    const isCompleted = known.isCompleted || isWatched(all, player?.duration ?? pack.duration);
    isNew = isCompleted && !known.isCompleted && !pack.is_completed;
    return { ...next, isCompleted };
  });
  before.set(uid, pairs);
  const seconds = secondsIn([...(player?.watched ?? []), ...local.watched]);
  return respond(await progressOut(store, pack, { position: local.position, seconds, isNew }));
}

/** Texts are complete once there was time to read them, files once they were saved. */
async function completeLesson({ store, uid }: Call): Promise<Response | null> {
  const pack = await store.readPackage(uid);
  if (!pack) return null;
  if (pack.kind !== "text" && pack.kind !== "file") return refuse("LESSON_COMPLETES_ITSELF", 409);
  const now = store.now();
  const known = await store.readLocal(uid);
  const openedAt = known.openedAt || now;
  const wait = pack.kind === "text" ? waitOf(pack) - (now - openedAt) / 1000 : 0;
  const isDone = known.isCompleted || pack.is_completed;
  if (wait > 0 && !isDone) return refuse("READING_TOO_SHORT", 409, { wait: Math.ceil(wait) });
  if (!isDone) {
    await store.addChange(
      {
        id: newUid(),
        kind: "completed",
        lesson: uid,
        made_at: new Date(now).toISOString(),
        completed: { opened_at: new Date(openedAt).toISOString() },
      },
      pack.title,
    );
    await store.changeLocal(uid, (before) => ({ ...before, isCompleted: true }));
  }
  return respond(await progressOut(store, pack, { position: 0, seconds: 0, isNew: !isDone }));
}

async function progressOut(
  store: Store,
  pack: LessonPackage,
  { position, seconds, isNew }: { position: number; seconds: number; isNew: boolean },
): Promise<Progress> {
  const { isCompleted } = await store.readLocal(pack.uid);
  const { done, percent } = await countOf(store, pack);
  return {
    position,
    watched_seconds: seconds,
    completed: isCompleted || pack.is_completed,
    newly_completed: isNew,
    course_percent: percent,
    completed_lessons: done,
    // The server issues certificates and counts milestones when it has the change.
    certificate_url: null,
    milestone: null,
  };
}
