/** Packages of lessons as they are stored: the resources apart, as the service worker needs nothing else of them. */
import { type Copy, openDatabase, type PackageRecord } from "./database";
import { type Place, sealValue, unsealValue } from "./sealing";
import type { Account, LessonPackage } from "./types";

type Sent = LessonPackage["resources"][number];
/** A resource with the number under which its pieces are stored. */
export type Resource = Sent & { id: number };
/** All of a package but its resources. */
export type StoredPackage = Omit<LessonPackage, "resources">;
type Key = Pick<Account, "user" | "key">;

/** Names the bytes of a resource; empty if the server does not know. */
const contentOf = (resource: Sent): string => (resource as { content?: string }).content ?? "";

/** The same for resources whose bytes are the same, if they are of packages with the same stamp. */
const markOf = (resource: Sent): string =>
  JSON.stringify([resource.name, resource.size, contentOf(resource)]);

/** Whether resources with the same mark have the same bytes, whatever the stamps of their packages. */
const isMarkEnough = (resource: Sent): boolean =>
  contentOf(resource) !== "" && resource.size !== null;

/**
 * Number the resources of a package. What is stored already, or on its way, keeps its number.
 * @param next the first number that no resource of the lesson has had
 */
export function numberResources(
  sent: Pick<LessonPackage, "stamp" | "resources">,
  stored: readonly { stamp: string; resources: readonly Resource[] }[],
  next: number,
): { resources: Resource[]; next: number } {
  const known = new Map<string, number>();
  for (const { stamp, resources: old } of stored)
    for (const one of old) {
      const mark = markOf(one);
      if (!known.has(mark) && (stamp === sent.stamp || isMarkEnough(one))) known.set(mark, one.id);
    }
  const resources = sent.resources.map((resource) => ({
    ...resource,
    id: known.get(markOf(resource)) ?? next++,
  }));
  return { resources, next };
}

const placeOf = (user: string, lesson: string, version: number, part: string): Place => [
  user,
  lesson,
  version,
  part,
];

export async function sealPackage(
  { user, key }: Key,
  sent: LessonPackage,
  { version, resources }: { version: number; resources: readonly Resource[] },
): Promise<PackageRecord> {
  const page: Partial<LessonPackage> = { ...sent };
  delete page.resources;
  const { uid: lesson } = sent;
  return {
    account: user,
    lesson,
    version,
    page: await sealValue(key, placeOf(user, lesson, version, "page"), page),
    resources: await sealValue(key, placeOf(user, lesson, version, "resources"), resources),
  };
}

/** The resources of a copy; [] if it is not there. */
export async function readResources(
  { user, key }: Key,
  lesson: string,
  { version }: Pick<Copy, "version">,
): Promise<Resource[]> {
  const record = await (await openDatabase()).get("packages", [user, lesson, version]);
  const place = placeOf(user, lesson, version, "resources");
  return record ? unsealValue<Resource[]>(key, place, record.resources) : [];
}

export async function readPage(
  { user, key }: Key,
  lesson: string,
  { version }: Pick<Copy, "version">,
): Promise<StoredPackage | null> {
  const record = await (await openDatabase()).get("packages", [user, lesson, version]);
  const place = placeOf(user, lesson, version, "page");
  return record ? unsealValue<StoredPackage>(key, place, record.page) : null;
}
