/** Inserts a lesson of another course, found by its title: as a copy, or moved. Loaded when it is asked for. */
import { t, tn } from "../shared/i18n";
import type { Insertable } from "./outlineCalls";
import { createSearchRow, openSearchDialog } from "./searchDialog";

/**
 * @param find lessons whose titles have these words
 * @param onChoose called with the lesson's uid, and whether it leaves its course
 */
export function openInsert(
  section: string,
  find: (words: string) => Promise<Insertable[]>,
  onChoose: (lesson: string, isMove: boolean) => Promise<void>,
): void {
  openSearchDialog(
    {
      title: t("Insert a lesson into “{section}”", { section }),
      hint: t("A copy is independent of the original. “Move” deletes it there."),
      label: t("Words of the lesson's or course's title"),
      none: t("No lesson in your other courses has these words."),
    },
    async (words, close) => {
      const found = await find(words);
      const rows = found.map(({ uid, number, title, course }) =>
        createSearchRow(`${number} ${title}`, course.title, (isMove) => {
          close();
          void onChoose(uid, isMove);
        }),
      );
      return { rows, said: tn("{count} lesson found", "{count} lessons found", found.length) };
    },
  );
}
