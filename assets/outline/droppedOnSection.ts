/** Files that are dropped onto a section of the outline, from outside of the browser. */
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";
import { type Dropped, droppedFiles } from "../shared/uploads/paths";

const bringsFiles = (event: DragEvent): boolean =>
  event.dataTransfer?.types.includes("Files") ?? false;

/** Mark the section under the files, and hand them on when they are dropped. */
export function followDroppedFiles(
  outline: HTMLElement,
  onFiles: (section: HTMLElement, dropped: Dropped) => void,
): void {
  let marked: HTMLElement | null = null;
  const mark = (section: HTMLElement | null): void => {
    if (section === marked) return;
    marked?.classList.remove("is-target");
    section?.classList.add("is-target");
    marked = section;
  };
  const sectionOf = ({ target }: DragEvent): HTMLElement | null =>
    target instanceof Element ? target.closest<HTMLElement>("[data-section]") : null;

  for (const kind of ["dragenter", "dragover"] as const)
    outline.addEventListener(kind, (event) => {
      if (!bringsFiles(event)) return;
      event.preventDefault(); // beside a section, too: the browser would show the file instead of the page
      mark(sectionOf(event));
    });
  outline.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node) || !outline.contains(relatedTarget)) mark(null);
  });
  outline.addEventListener("drop", (event) => {
    const section = sectionOf(event);
    mark(null);
    if (!event.dataTransfer || !bringsFiles(event)) return;
    event.preventDefault();
    if (!section) return;
    void droppedFiles(event.dataTransfer).then((dropped) => {
      if (dropped.files.length + dropped.unreadable.length > 0) onFiles(section, dropped);
      else toast(t("There are no files in this folder."), { icon: "circle-alert" });
    });
  });
}
