/** The pieces of resources: how a resource is cut, and which pieces are stored. */
import { type Database, keysOf, type LessonRecord } from "./database";

export const PIECE_BYTES = 1024 * 1024;

/** What is needed to know the size of a resource. */
type Sized = { id: number; size: number | null };

/** The size of a resource; null while it is not known. */
export const sizeOf = ({ id, size }: Sized, record: LessonRecord): number | null =>
  size ?? record.sizes[id] ?? null;

/** How many pieces a resource of this size has. An empty one has one, so that it can be seen to be stored. */
export const countPieces = (size: number): number => Math.max(1, Math.ceil(size / PIECE_BYTES));

export const placeOfPiece = (
  user: string,
  lesson: string,
  resource: number,
  index: number,
): (string | number)[] => [user, lesson, "piece", resource, index];

/** Resource → how many of its pieces are stored without a gap. */
export async function readStored(
  database: Database,
  user: string,
  lesson: string,
): Promise<Map<number, number>> {
  const stored = new Map<number, number>();
  for (const [, , resource, index] of await database.getAllKeys("pieces", keysOf(user, lesson)))
    if (index === (stored.get(resource) ?? 0)) stored.set(resource, index + 1);
  return stored;
}

/** Whether all of a resource is stored. */
export function isStored(
  resource: Sized,
  stored: Map<number, number>,
  record: LessonRecord,
): boolean {
  const size = sizeOf(resource, record);
  return size !== null && (stored.get(resource.id) ?? 0) >= countPieces(size);
}

/** How many bytes of resources are stored. */
export function countReceived(
  resources: readonly Sized[],
  stored: Map<number, number>,
  record: LessonRecord,
): number {
  return resources.reduce((sum, resource) => {
    const bytes = (stored.get(resource.id) ?? 0) * PIECE_BYTES;
    const size = sizeOf(resource, record);
    return sum + (size === null ? bytes : Math.min(bytes, size));
  }, 0);
}
