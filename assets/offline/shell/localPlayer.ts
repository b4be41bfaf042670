/** The props of the player as they are on this device by now. */
import { merge, type Pair, secondsIn } from "../watchedPairs";
import type { components } from "../../shared/api/schema.gen";
import { t } from "../../shared/i18n";
import type { LessonPackage } from "../types";
import { countOf, outlineOf } from "./courseState";
import type { Store } from "./store";

type Player = components["schemas"]["PlayerOut"];
type Link = components["schemas"]["LessonLink"];

/** A video that was left within its last seconds starts from the beginning, as on the server. */
const SECONDS_BEFORE_END = 5;

/** With what was watched here, and with the next lesson only if it is on this device. */
export async function localPlayer(
  store: Store,
  pack: LessonPackage,
  player: Player,
): Promise<Player> {
  const local = await store.readLocal(pack.uid);
  const isNewer =
    local.positionAt !== "" &&
    Date.parse(local.positionAt) > Date.parse(player.position_at ?? "1970-01-01");
  const isEnded = local.position >= player.duration - SECONDS_BEFORE_END;
  const watched = merge([...(player.watched as Pair[]), ...local.watched]);
  const { done, percent } = await countOf(store, pack);
  return {
    ...player,
    ...(isNewer && { position: isEnded ? 0 : local.position, position_at: local.positionAt }),
    watched,
    watched_seconds: secondsIn(watched),
    completed: player.completed || local.isCompleted,
    course: { ...player.course, completed_lessons: done, percent },
    next: await nextHere(store, pack, player.next),
  };
}

/** The next lesson; one that isn't on this device doesn't open by itself, and says why. */
async function nextHere(
  store: Store,
  pack: LessonPackage,
  next: Link | null,
): Promise<Link | null> {
  if (!next) return null;
  const lessons = await store.listLessons();
  const isHere = lessons.some(({ uid, state }) => uid === next.uid && state === "downloaded");
  if (!isHere) {
    const note = t("{number} {title} isn't on this device.", next);
    return { ...next, state: "locked", note } as Link & { note: string };
  }
  const outline = await outlineOf(store, pack);
  const links = outline.sections.flatMap((section) => section.lessons);
  const now = links.find(({ uid }) => uid === next.uid);
  return { ...next, state: now?.state ?? next.state };
}
