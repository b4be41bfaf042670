/**
 * Makes lessons of files: chosen, or dropped onto a section. A video becomes a video lesson, a text a text lesson, any
 * other file a lesson with this file. What they will be is shown first. Loaded with the first files.
 */
import { announce } from "../shared/announce";
import { createButton, element, openDialog } from "../shared/dialog";
import { bytes } from "../shared/format";
import { t, tn } from "../shared/i18n";
import type { IconName } from "../shared/iconNames";
import { drawIcon } from "../shared/icons";
import { newUid } from "../shared/newUid";
import { judge } from "../shared/saving/judge";
import { type Dropped, droppedFiles, pathOf } from "../shared/uploads/paths";
import { startLessonUploads } from "./lessonUploads";
import type { Change, Changed, OutlineCalls } from "./outlineCalls";
import { type FileLimits, planLessons, type PlannedLesson, readText } from "./plannedLessons";

/** Lessons that are made at once. */
const MAX_LESSONS_AT_ONCE = 100;
const ICONS: Record<PlannedLesson["kind"], IconName> = {
  video: "film",
  text: "file-text",
  file: "download",
};

export type Target = { uid: string; title: string };
type Hooks = {
  calls: OutlineCalls;
  onAdded: (changed: Changed) => Promise<void>;
  /**
   * All were added that could be: this change takes them back together.
   * @param withUploads makes the call that takes them back, and ends their uploads with them
   */
  onDone: (change: Change, withUploads: <T>(undo: () => Promise<T>) => Promise<T>) => void;
};

/** The same for a file that is chosen twice. */
const keyOf = (file: File): string =>
  `${pathOf(file) || file.name} ${file.size} ${file.lastModified}`;

/** A lesson of the list, with the field of its title. */
type Line = PlannedLesson & { field: HTMLInputElement; row: HTMLLIElement };

/**
 * Ask for files and for the titles of their lessons, and add them at the end of a section.
 * @param dropped files that are there already, and the names of what can't be read
 */
export function openFilesDialog(
  section: Target,
  outline: HTMLElement,
  hooks: Hooks,
  dropped: Dropped = { files: [], unreadable: [] },
): void {
  const limits = JSON.parse(outline.dataset.fileLimits ?? "{}") as FileLimits;
  let lines: Line[] = [];

  const list = element("ul", "fromfiles__list");
  list.setAttribute("role", "list");
  const add = createButton("btn btn--primary", "");
  const cancel = createButton("btn", t("Cancel"));
  const note = element("p", "small faint");
  note.hidden = true;
  const zone = element(
    "div",
    "fromfiles__zone",
    drawIcon("hard-drive-upload"),
    element("b", "", t("Drop files or a folder here")),
    element(
      "span",
      "small muted",
      t("Videos, texts (Markdown, HTML, plain text), and any other file to download."),
    ),
    element(
      "span",
      "row row--tight",
      pickButton(t("Choose files"), false),
      pickButton(t("Choose a folder"), true),
    ),
  );
  const dialog = openDialog({
    title: t("Lessons from files, for “{section}”", { section: section.title }),
    body: [zone, note, list],
    actions: [cancel, add],
    className: "fromfiles",
    closesOutside: false,
  });

  function pickButton(label: string, isFolder: boolean): HTMLButtonElement {
    const input = element("input");
    input.type = "file";
    input.multiple = true;
    input.webkitdirectory = isFolder;
    input.addEventListener("change", () => {
      take([...(input.files ?? [])]);
      input.value = ""; // the same file may be chosen again
    });
    const button = createButton("btn btn--sm", label);
    button.addEventListener("click", () => input.click());
    return button;
  }

  /** Add files to the list. What was chosen before stays as it is. */
  function take(files: readonly File[], unreadable: readonly string[] = []): void {
    const known = new Set(lines.map(({ file }) => keyOf(file)));
    const unknown = files.filter((file) => !known.has(keyOf(file)));
    const planned = planLessons(unknown, limits);
    const skipped = unknown.length - planned.length;
    const room = Math.max(0, MAX_LESSONS_AT_ONCE - lines.length);
    const fresh = planned.slice(0, room).map(createLine);
    lines = [...lines, ...fresh];
    list.append(...fresh.map(({ row }) => row));
    const left = files.length - unknown.length;
    const said = [
      ...unreadable.map((name) => t("“{name}” can't be read.", { name })),
      skipped > 0 &&
        tn(
          "{count} file of the system was left out.",
          "{count} files of the system were left out.",
          skipped,
        ),
      left > 0 &&
        tn("{count} file is in the list already.", "{count} files are in the list already.", left),
      planned.length > room &&
        t("Only the first {count} files are in the list.", { count: MAX_LESSONS_AT_ONCE }),
    ].filter((one) => one !== false);
    note.hidden = said.length === 0;
    note.textContent = said.join(" ");
    announce([tn("{count} file chosen", "{count} files chosen", fresh.length), ...said].join(". "));
    for (const line of fresh) void showTitle(line);
    update();
    fresh[0]?.field.focus();
  }

  /** A text may give itself a title. */
  async function showTitle(line: Line): Promise<void> {
    if (line.kind !== "text" || line.problem) return;
    const { title } = await readText(line.file).catch(() => ({ title: "" }));
    if (title && line.field.value === line.title) line.field.value = title;
  }

  function createLine(planned: PlannedLesson): Line {
    const { file, kind, title, problem } = planned;
    const field = element("input", "input");
    field.value = title;
    field.maxLength = 120;
    field.setAttribute("aria-label", t("Title of the lesson from {file}", { file: file.name }));
    const leave = createButton("icon-btn icon-btn--sm", drawIcon("x"));
    leave.setAttribute("aria-label", t("Leave out {file}", { file: file.name }));
    const facts = element("p", "small faint clip", `${file.name}, ${bytes(file.size)}`);
    const said = element("p", "small fromfiles__problem", problem);
    const row = element(
      "li",
      problem ? "is-refused" : "",
      drawIcon(ICONS[kind]),
      element("div", "", ...(problem ? [facts, said] : [field, facts])),
      leave,
    );
    const line = { ...planned, field, row };
    leave.addEventListener("click", () => {
      const at = lines.indexOf(line);
      lines = lines.filter((one) => one !== line);
      row.remove();
      update();
      const next = lines[Math.min(at, lines.length - 1)];
      (next?.row.querySelector("button") ?? cancel).focus();
    });
    return line;
  }

  const usable = (): Line[] => lines.filter(({ problem }) => !problem);

  function update(): void {
    const { length } = usable();
    zone.classList.toggle("fromfiles__zone--less", lines.length > 0);
    add.disabled = length === 0;
    add.replaceChildren(
      length === 0 ? t("Add lessons") : tn("Add {count} lesson", "Add {count} lessons", length),
    );
  }

  for (const kind of ["dragenter", "dragover"] as const)
    dialog.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.add("is-over");
    });
  dialog.addEventListener("dragleave", () => zone.classList.remove("is-over"));
  dialog.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("is-over");
    if (event.dataTransfer)
      void droppedFiles(event.dataTransfer).then((dropped) =>
        take(dropped.files, dropped.unreadable),
      );
  });
  cancel.addEventListener("click", () => dialog.close());
  add.addEventListener("click", () => {
    const titleOf = ({ field, title }: Line): string => field.value.trim() || title;
    const chosen = usable().map((line) => ({ ...line, title: titleOf(line) }));
    dialog.close();
    void addLessons(chosen, section, outline, limits, hooks);
  });
  update();
  if (dropped.files.length + dropped.unreadable.length > 0) take(dropped.files, dropped.unreadable);
}

/** Add the lessons one after the other, each with its text, and send their files meanwhile. */
async function addLessons(
  planned: readonly PlannedLesson[],
  section: Target,
  outline: HTMLElement,
  limits: FileLimits,
  { calls, onAdded, onDone }: Hooks,
): Promise<void> {
  const batch = newUid();
  const uploads = startLessonUploads(outline);
  const ending = new AbortController();
  addEventListener("beforeunload", (event) => event.preventDefault(), { signal: ending.signal });
  const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : "");
  const added = new Set<string>();
  let done: Change | null = null;
  for (const [at, { file, kind, title }] of planned.entries()) {
    try {
      const text = kind === "text" ? await readBody(file, limits, calls) : "";
      const changed = await calls.addLesson(section.uid, kind, title, text, batch);
      const [lesson] = changed.added;
      if (!lesson) continue;
      added.add(lesson);
      done = changed.change;
      await onAdded(changed);
      if (kind !== "text") uploads.add(file, kind, lesson);
    } catch (error) {
      const said = t("“{file}” was not added. {reason}", {
        file: file.name,
        reason: reasonOf(error),
      });
      if (error instanceof UnsuitableText) {
        uploads.warn(said);
        continue;
      }
      const left = planned.length - at - 1; // what stopped this one, stops the others
      const others = tn(
        "{count} file after it was not added.",
        "{count} files after it were not added.",
        left,
      );
      uploads.warn(left > 0 ? `${said} ${others}` : said);
      break;
    }
  }
  ending.abort();
  if (done) onDone(done, (undo) => uploads.endWith(added, undo));
}

/** This text cannot be the text of a lesson; others may. */
class UnsuitableText extends Error {}

async function readBody(file: File, limits: FileLimits, calls: OutlineCalls): Promise<string> {
  const { body, isHtml } = await readText(file).catch(() => {
    throw new UnsuitableText(t("The file can't be read. It may have been moved or changed."));
  });
  const markdown = isHtml ? await convert(body, calls) : body;
  if (Array.from(markdown).length <= limits.textLength) return markdown;
  throw new UnsuitableText(
    t("The text has more than {limit} characters.", { limit: limits.textLength }),
  );
}

async function convert(html: string, calls: OutlineCalls): Promise<string> {
  try {
    return await calls.convertHtml(html);
  } catch (error) {
    throw error instanceof Error && judge(error) === "field"
      ? new UnsuitableText(error.message)
      : error;
  }
}
