/** The outline of a course, and the player's props, as this device knows them. */
import { outlineOf } from "../courseState";
import { playerOf } from "../pageProps";
import { localPlayer } from "../localPlayer";
import type { Store } from "../store";
import type { LessonPackage } from "../../types";
import type { Call, Routes } from "./routes";
import { respond } from "./responses";

export const courseRoutes: Routes = {
  "GET /api/v1/courses/{slug}/outline/": getOutline,
  "GET /api/v1/lessons/{uid}/player/": getPlayer,
};

async function getOutline({ store, uid: slug }: Call): Promise<Response | null> {
  const pack = await anyPackageOf(store, slug);
  return pack && respond(await outlineOf(store, pack));
}

/** The page of any stored lesson of a course has the list of its lessons; the newest is the best known. */
async function anyPackageOf(store: Store, slug: string): Promise<LessonPackage | null> {
  const lessons = (await store.listLessons()).filter(
    ({ course, state }) => course.slug === slug && state === "downloaded",
  );
  let newest: LessonPackage | null = null;
  for (const { uid } of lessons) {
    const pack = await store.readPackage(uid);
    if (pack && (!newest || pack.now > newest.now)) newest = pack;
  }
  return newest;
}

async function getPlayer({ store, uid }: Call): Promise<Response | null> {
  const pack = await store.readPackage(uid);
  const player = pack && playerOf(pack);
  return player && respond(await localPlayer(store, pack, player));
}
