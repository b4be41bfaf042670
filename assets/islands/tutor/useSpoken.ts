import { useEffect, useRef, useState } from "react";

import { t } from "../../shared/i18n";
import { sentencesAfter } from "./merging";

/** A sentence with a number that no other one of the page has: what is removed moves no other. */
export type Sentence = { id: number; text: string };

/** At most this many sentences stay in the live region. */
const MOST = 40;

/**
 * What a screen reader says of the newest answer: each sentence once it is complete, and that it has ended.
 * @param uid of the answer that is being written or was written last; null if there was none since the page opened
 */
export function useSpoken(uid: string | null, text: string, isOver: boolean): readonly Sentence[] {
  const [spoken, setSpoken] = useState<readonly Sentence[]>([]);
  const said = useRef({ uid: "", until: 0, isOver: false, count: 0 });
  useEffect(() => {
    if (uid === null) return;
    const now = said.current;
    const isNew = now.uid !== uid;
    if (isNew) Object.assign(now, { uid, until: 0, isOver: false });
    const { sentences, until } = sentencesAfter(text, now.until, isOver);
    const more = [...(isNew && !isOver ? [t("The tutor is thinking")] : []), ...sentences];
    if (isOver && !now.isOver) more.push(t("Answer ready"));
    // A text that grounding has made shorter begins no new sentences.
    now.until = Math.max(until, now.until);
    now.isOver = isOver;
    if (isNew || more.length > 0) {
      const added = more.map((one) => ({ id: ++now.count, text: one }));
      setSpoken((before) => [...(isNew ? [] : before), ...added].slice(-MOST));
    }
  }, [uid, text, isOver]);
  return spoken;
}
