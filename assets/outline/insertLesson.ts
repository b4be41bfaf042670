/** Inserts a lesson of another course, found by its title: as a copy, or moved. Loaded when it is asked for. */
import { createButton, element, openDialog } from "../shared/dialog";
import { t, tn } from "../shared/i18n";
import { announce } from "../shared/announce";
import type { Insertable } from "./outlineCalls";

const PAUSE_MS = 300;

/**
 * @param find lessons whose titles have these words
 * @param onChoose called with the lesson's uid, and whether it leaves its course
 */
export function openInsert(
  section: string,
  find: (words: string) => Promise<Insertable[]>,
  onChoose: (lesson: string, isMove: boolean) => Promise<void>,
): void {
  const field = element("input", "input");
  field.type = "search";
  field.setAttribute("aria-label", t("Words of the lesson's or course's title"));
  field.placeholder = t("Words of the lesson's or course's title");
  const list = element("ul", "insert__list");
  list.setAttribute("role", "list");
  const dialog = openDialog({
    title: t("Insert a lesson into “{section}”", { section }),
    body: [
      element(
        "p",
        "small muted",
        t("A copy is independent of the original. “Move” deletes it there."),
      ),
      field,
      list,
    ],
    focus: field,
  });
  let latest = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function rowOf({ uid, number, title, course }: Insertable): HTMLLIElement {
    const act = (label: string, spoken: string, isMove: boolean): HTMLButtonElement => {
      const button = createButton("btn btn--sm", label);
      button.setAttribute("aria-label", spoken);
      button.addEventListener("click", () => {
        dialog.close();
        void onChoose(uid, isMove);
      });
      return button;
    };
    const named = { title };
    return element(
      "li",
      "",
      element(
        "div",
        "grow",
        element("p", "clip", `${number} ${title}`),
        element("p", "small faint clip", course.title),
      ),
      act(t("Copy"), t("Copy “{title}”", named), false),
      act(t("Move"), t("Move “{title}”", named), true),
    );
  }

  async function show(): Promise<void> {
    const mine = (latest += 1);
    try {
      const found = await find(field.value.trim());
      if (mine !== latest) return;
      list.replaceChildren(
        ...(found.length > 0
          ? found.map(rowOf)
          : [element("li", "muted", t("No lesson in your other courses has these words."))]),
      );
      announce(tn("{count} lesson found", "{count} lessons found", found.length));
    } catch (error) {
      if (mine !== latest) return;
      const reason = error instanceof Error ? error.message : "";
      list.replaceChildren(element("li", "muted", reason));
    }
  }
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void show(), PAUSE_MS);
  });
  void show();
}
