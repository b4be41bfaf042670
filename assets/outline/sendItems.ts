/** Copies or moves lessons or sections to another course, found by its title. Loaded when it is asked for. */
import { t, tn } from "../shared/i18n";
import type { Destination, Target } from "./outlineCalls";
import { createSearchRow, openSearchDialog } from "./searchDialog";

/**
 * @param what the title of what goes, or how much it is
 * @param newSection the title of a section for lessons that go to none of the course's; null if sections go
 * @param find courses whose titles or sections have these words
 */
export function openSend(
  what: string,
  newSection: string | null,
  find: (words: string) => Promise<Target[]>,
  onChoose: (target: Target, destination: Destination, isMove: boolean) => Promise<void>,
): void {
  openSearchDialog(
    {
      title: t("Copy or move to another course: {what}", { what }),
      hint: t(
        "A copy is independent of the original. “Move” deletes it here; what learners did in it stays with this course.",
      ),
      label: t("Words of the course's or section's title"),
      none: t("None of your other courses that you can edit has these words."),
    },
    async (words, close) => {
      const found = await find(words);
      const rows = found.flatMap((target) => {
        const row = (first: string, second: string, destination: Destination): HTMLLIElement =>
          createSearchRow(first, second, (isMove) => {
            close();
            void onChoose(target, destination, isMove);
          });
        if (newSection === null) return [row(target.title, "", {})];
        return [
          ...target.sections.map(({ uid, number, title }) =>
            row(`${number} ${title}`, target.title, { section: uid }),
          ),
          row(t("New section “{title}”", { title: newSection }), target.title, {
            section_title: newSection,
          }),
        ];
      });
      return { rows, said: tn("{count} course found", "{count} courses found", found.length) };
    },
  );
}
