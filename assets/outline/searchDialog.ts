/** A dialog with a field that searches while it is typed in, and rows with buttons, which the arrow keys go through. */
import { announce } from "../shared/announce";
import { createButton, element, openDialog } from "../shared/dialog";
import { t } from "../shared/i18n";

const PAUSE_MS = 300;

export type Found = { rows: HTMLLIElement[]; said: string };

/**
 * @param find the rows for these words, and how many were found, to be read out
 * @param none what is said in place of rows
 */
export function openSearchDialog(
  { title, hint, label, none }: { title: string; hint: string; label: string; none: string },
  find: (words: string, close: () => void) => Promise<Found>,
): void {
  const field = element("input", "input");
  field.type = "search";
  field.setAttribute("aria-label", label);
  field.placeholder = label;
  const list = element("ul", "insert__list");
  list.setAttribute("role", "list");
  const body = [element("p", "small muted insert__hint", hint), field, list];
  const dialog = openDialog({ title, body, focus: field });
  let latest = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function show(): Promise<void> {
    const mine = (latest += 1);
    try {
      const { rows, said } = await find(field.value.trim(), () => dialog.close());
      if (mine !== latest) return;
      list.replaceChildren(...(rows.length > 0 ? rows : [element("li", "muted", none)]));
      announce(rows.length > 0 ? said : none);
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
  dialog.addEventListener("keydown", (event) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0) return;
    const rows = [...list.querySelectorAll<HTMLElement>("li:has(button)")];
    const at = rows.findIndex((row) => row.contains(document.activeElement));
    if (at < 0 && document.activeElement !== field) return;
    event.preventDefault();
    const next = rows[at + by];
    const place = [...(rows[at]?.querySelectorAll("button") ?? [])].findIndex(
      (one) => one === document.activeElement,
    );
    if (next) next.querySelectorAll<HTMLElement>("button")[Math.max(0, place)]?.focus();
    else if (by === -1) field.focus();
  });
  void show();
}

/** A row: two lines of text, and the buttons that copy or move. */
export function createSearchRow(
  first: string,
  second: string,
  onChoose: (isMove: boolean) => void,
): HTMLLIElement {
  const act = (label: string, spoken: string, isMove: boolean): HTMLButtonElement => {
    const button = createButton("btn btn--sm", label);
    button.setAttribute("aria-label", spoken);
    button.addEventListener("click", () => onChoose(isMove));
    return button;
  };
  const named = { title: second === "" ? first : `${first}, ${second}` };
  const lines = second === "" ? [] : [element("p", "small faint", second)];
  return element(
    "li",
    "",
    element("div", "insert__what", element("p", "", first), ...lines),
    act(t("Copy"), t("Copy: {title}", named), false),
    act(t("Move"), t("Move: {title}", named), true),
  );
}
