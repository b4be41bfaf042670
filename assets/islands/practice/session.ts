/** The cards of one visit, as pure functions. */
import type { Card } from "./api";

export type Session = {
  /** The cards to come; the first is shown. */
  queue: readonly Card[];
  /** Cards that are due but were not fetched yet. */
  waiting: number;
  /** Whether each practiced card was remembered, in order. */
  done: readonly boolean[];
};

export type Change =
  | { type: "fetched"; cards: readonly Card[]; left: number }
  | { type: "reviewed"; uid: string; isRemembered: boolean }
  | { type: "gone"; uid: string };

export function begin(cards: readonly Card[], left: number): Session {
  return { queue: cards, waiting: Math.max(0, left - cards.length), done: [] };
}

export function reduce(session: Session, change: Change): Session {
  switch (change.type) {
    case "fetched":
      return { ...session, ...begin(change.cards, change.left), done: session.done };
    case "reviewed":
      return {
        queue: session.queue.filter(({ uid }) => uid !== change.uid),
        // A card that was not remembered returns in some minutes.
        waiting: session.waiting + (change.isRemembered ? 0 : 1),
        done: [...session.done, change.isRemembered],
      };
    case "gone":
      return { ...session, queue: session.queue.filter(({ uid }) => uid !== change.uid) };
  }
}

export function countOf({ queue, waiting, done }: Session): number {
  return queue.length + waiting + done.length;
}
