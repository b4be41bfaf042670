/** Opens and closes the timeline of a lesson, and marks moments (`[data-moment]`). Its island loads once it is visible. */
import { t } from "../shared/i18n";
import { registerShortcuts } from "../shared/shortcuts";

/** A shortcut that presses a button of the page. */
function press(selector: string) {
  const find = () => document.querySelector<HTMLElement>(selector);
  return { run: () => find()?.click(), isAvailable: () => find() !== null };
}

export function startTimelineDoor(): void {
  const place = document.querySelector<HTMLElement>("[data-timeline]");
  if (!place) return;
  let opener: HTMLElement | null = null;

  const open = (button: HTMLElement | null): void => {
    opener = button;
    place.hidden = false;
    place.closest("main")?.setAttribute("data-timeline-open", "");
    for (const one of document.querySelectorAll("[data-notes-open]"))
      one.setAttribute("aria-expanded", "true");
    // The island, once it is there, turns to its field; until then the focus is in the panel.
    place.tabIndex = -1;
    place.focus({ preventScroll: true });
    place.dataset.wanted = "";
    place.dispatchEvent(new Event("timeline:open"));
  };
  const close = (): void => {
    place.hidden = true;
    place.closest("main")?.removeAttribute("data-timeline-open");
    for (const one of document.querySelectorAll("[data-notes-open]"))
      one.setAttribute("aria-expanded", "false");
    opener?.focus();
  };
  registerShortcuts([
    { keys: ["t"], caps: ["T"], label: t("Notes"), group: "lesson", ...press("[data-notes-open]") },
    {
      // Beside a video it stands for B of the page, which bookmarks the course (docs/adr/0028-moments-and-bookmarks.md).
      keys: ["b"],
      caps: ["B"],
      label: t("Mark this moment"),
      group: "lesson",
      ...press("[data-moment]"),
    },
  ]);
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element)) return;
    const button = target.closest<HTMLElement>("[data-notes-open]");
    if (button) open(button);
    if (target.closest("[data-notes-close]")) close();
    const lesson = target.closest<HTMLElement>("[data-moment]")?.dataset.moment;
    if (lesson) void import("../shared/notes/moments").then((page) => page.toggleMoment(lesson));
  });
  // The island closes a sheet from anywhere, and keeps the focus in it (islands/timeline/sheet.ts).
  place.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    close();
  });
}
