/** Puts right what this device believed of a change until the server judged it. */
import type { components } from "../shared/api/schema.gen";
import type { Account, Change } from "./types";
import { changeLocal, type LocalState, readValue, writeValue } from "./values";
import { type Pair, subtract } from "./watchedPairs";

type Practice = components["schemas"]["OfflinePracticeOut"];
type Learned = LocalState & { watched?: Pair[] };

/** Repeated, it changes nothing more. */
export async function followOutcome(
  account: Account,
  change: Change,
  state: components["schemas"]["TakenChange"]["state"],
): Promise<void> {
  const { kind, lesson, review } = change;
  if (state === "taken" && review) await removeCard(account, review.card);
  if (state === "refused" && lesson && (kind === "watched" || kind === "completed"))
    await takeBack(account, lesson, (change.watched?.watched ?? []) as Pair[]);
}

/** The lesson isn't complete by what was refused, and these seconds may be watched again. */
async function takeBack(account: Account, lesson: string, refused: readonly Pair[]): Promise<void> {
  await changeLocal<Learned>(account, lesson, (known) => ({
    ...known,
    isCompleted: false,
    watched: subtract(known?.watched ?? [], refused),
  }));
}

/** A card that was rated doesn't come again before the stored cards are newer. */
async function removeCard(account: Account, uid: string): Promise<void> {
  const stored = await readValue<Practice>(account, "practice");
  if (!stored?.practice.cards.some((card) => card.uid === uid)) return;
  const cards = stored.practice.cards.filter((card) => card.uid !== uid);
  const { left, done_today: done } = stored.practice;
  const practice = { ...stored.practice, cards, left: Math.max(0, left - 1), done_today: done + 1 };
  await writeValue(account, "practice", { ...stored, practice });
}
