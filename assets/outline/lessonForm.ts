/**
 * Saves the form of a lesson field by field while it is filled in (docs/adr/0059). A form that is left keeps saving; one
 * that is opened again shows what is not saved yet.
 */
import { announce } from "../shared/announce";
import { authenticatedApi, unwrap } from "../shared/api/client";
import { createPlainSurface } from "../shared/editor/surface";
import { t } from "../shared/i18n";
import { newUid } from "../shared/newUid";
import { describeConflict, describeIncoming } from "../shared/saving/describeConflict";
import { describeSaving } from "../shared/saving/describeSaving";
import { judge, waitOf } from "../shared/saving/judge";
import { mergeText } from "../shared/saving/mergeText";
import { type Conflict, type Field, type Saved, SaveQueue } from "../shared/saving/saveQueue";
import { createUnsavedStore, findLeftUnsaved } from "../shared/saving/unsavedStore";
import type { Change } from "./outlineCalls";

/** Names this tab, so that it is not told of its own changes. */
export const CLIENT = newUid();

const queues = new Map<string, SaveQueue>();
/** Called with each change of a queue, while its form is shown. */
const shownForms = new Map<
  string,
  { onReplaced: (name: string, value: unknown) => void; onRecorded: (change: Change) => void }
>();

type Control = HTMLInputElement | HTMLTextAreaElement;

const controlsOf = (form: HTMLFormElement, name: string): Control[] => [
  ...form.querySelectorAll<Control>(`[name="${name}"]`),
];

const isChecked = (control: Control, isAsSent: boolean): boolean =>
  control instanceof HTMLInputElement && (isAsSent ? control.defaultChecked : control.checked);

/** The value of a field. `isAsSent`: as the server sent it, whatever was typed since. */
function read(form: HTMLFormElement, name: string, isAsSent = false): unknown {
  const controls = controlsOf(form, name);
  if (name === "prerequisites")
    return controls
      .filter((one) => one.type === "hidden" || isChecked(one, isAsSent))
      .map(({ value }) => value)
      .sort();
  const [control] = controls;
  if (control instanceof HTMLInputElement && control.type === "checkbox")
    return isChecked(control, isAsSent);
  const value = (isAsSent ? control?.defaultValue.replace(/\r\n?/g, "\n") : control?.value) ?? "";
  if (value === "" && control?.matches("[type=number], [type=datetime-local]")) return null;
  return control?.type === "number" ? Number(value) : value;
}

/** The name of the field that has the focus; the live editor stands in for its textarea, with its toolbar. */
function fieldOf(target: EventTarget | null): string {
  if (!(target instanceof Element)) return "";
  const written = target.closest(".composer")?.querySelector("textarea");
  return written?.name ?? (target as Partial<Control>).name ?? "";
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

/** A lesson opens in one way: a date replaces the days, and days the date. */
const OTHER_WAY: Record<string, string> = {
  opens_at: "opens_after_days",
  opens_after_days: "opens_at",
};

/** Show a value that was not typed here; the caret stays in what is being written. */
function write(form: HTMLFormElement, name: string, value: unknown): void {
  for (const control of controlsOf(form, name)) {
    if (control instanceof HTMLTextAreaElement) {
      if (control.value !== textOf(value)) createPlainSurface(control).update(textOf(value));
    } else if (control.type === "checkbox")
      control.checked = Array.isArray(value) ? value.includes(control.value) : value === true;
    else if (control.type === "datetime-local")
      control.value = inZone(textOf(value), form.dataset.zone ?? "UTC");
    else if (control.type !== "hidden" && control.value !== textOf(value)) {
      const { selectionStart, selectionEnd } = control;
      control.value = textOf(value);
      if (document.activeElement === control && selectionStart !== null)
        control.setSelectionRange(selectionStart, selectionEnd);
    }
  }
}

const findUser = (): string =>
  document.querySelector<HTMLMetaElement>('meta[name="study-user"]')?.content ?? "";

const authorOf = (user: string): { author?: string } => (user === "" ? {} : { author: user });

/** A moment as fields for dates have it, in the zone of the user's profile. What was typed is one already. */
function inZone(value: string, zone: string): string {
  if (!/(?:Z|[+-]\d\d:\d\d)$/.test(value)) return value;
  const parts = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone,
    dateStyle: "short",
    timeStyle: "short",
  });
  return parts.format(new Date(value)).replace(" ", "T");
}

function createQueue(lesson: string, saved: Record<string, Saved>): SaveQueue {
  const user = findUser();
  const left = findLeftUnsaved(user, lesson); // before this tab has a store of its own
  const queue = new SaveQueue({
    saved,
    store: createUnsavedStore(user, lesson),
    merge: mergeText,
    onReplaced: (name, value) => shownForms.get(lesson)?.onReplaced(name, value),
    client: CLIENT,
    judge,
    waitOf,
    send: async (fields, isLeaving) => {
      const { outcomes, change } = await unwrap(
        authenticatedApi.PATCH("/api/v1/studio/lessons/{uid}/", {
          params: { path: { uid: lesson } },
          body: { client: CLIENT, fields, ...authorOf(user) },
          keepalive: isLeaving,
        }),
      );
      if (change) shownForms.get(lesson)?.onRecorded(change);
      return outcomes;
    },
  });
  void left.then(({ kept, forget }) => {
    queue.adopt(kept);
    forget();
  });
  return queue;
}

/** Another author, or another tab, saved a field of a lesson: ask for it, if its form was opened here. */
export async function receiveLesson(lesson: string): Promise<void> {
  const queue = queues.get(lesson);
  if (!queue) return;
  const asked = queue.mark();
  const { values } = await unwrap(
    authenticatedApi.GET("/api/v1/studio/lessons/{uid}/", { params: { path: { uid: lesson } } }),
  );
  for (const [name, { edited_by: by, edited_at: at, ...saved }] of Object.entries(values))
    queue.receive(name, { ...saved, by, at }, asked);
}

/**
 * Save a title that was written in the outline. If its form was opened here, the form shows it.
 * @returns what was done, to undo it
 * @throws Error when someone else has changed the title since, or the server refuses it
 */
export async function saveTitle(
  lesson: string,
  title: string,
  was: string,
): Promise<Change | null> {
  const path = { uid: lesson };
  const { values } = await unwrap(
    authenticatedApi.GET("/api/v1/studio/lessons/{uid}/", { params: { path } }),
  );
  const present = values.title ?? { value: null, version: "" };
  const isStale = present.value !== was;
  const { outcomes, change } = await unwrap(
    authenticatedApi.PATCH("/api/v1/studio/lessons/{uid}/", {
      params: { path },
      body: {
        client: CLIENT,
        ...authorOf(findUser()),
        fields: { title: { value: title, base: isStale ? "" : present.version } },
      },
    }),
  );
  const [outcome] = outcomes;
  if (!outcome) return change;
  queues.get(lesson)?.receive("title", {
    value: outcome.value,
    version: outcome.version,
    by: "",
    at: null,
  });
  if (outcome.state !== "saved")
    throw new Error(outcome.problem || t("Someone else has changed this title."));
  return change;
}

export type LessonFormEvents = {
  /** The title as it is typed, for the row. */
  onTitle: (title: string) => void;
  /** Something was saved: the row and the state of the lesson may be others. */
  onSaved: () => void;
  /** What was saved can be undone in the outline. */
  onRecorded: (change: Change) => void;
};

/**
 * Save the fields of a form as they change.
 * @param line where the state of saving is written
 * @returns a function that ends it; what is unsaved is still sent
 */
export function startLessonForm(
  form: HTMLFormElement,
  line: HTMLElement,
  { onTitle, onSaved, onRecorded }: LessonFormEvents,
): () => void {
  const lesson = form.dataset.lessonForm ?? "";
  const versions = JSON.parse(form.dataset.versions ?? "{}") as Record<string, string>;
  // Some fields have forms of their own.
  const names = Object.keys(versions).filter((name) => controlsOf(form, name).length > 0);
  const saved = Object.fromEntries(
    names.map((name) => [name, { value: read(form, name, true), version: versions[name] ?? "" }]),
  );
  // This may be here only after the first keys.
  const typed = names
    .map((name): [string, unknown] => [name, read(form, name)])
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(saved[name]?.value));
  let queue = queues.get(lesson);
  if (queue)
    for (const [name, { value, version }] of Object.entries(saved))
      queue.receive(name, { value, version, by: "", at: null });
  else queues.set(lesson, (queue = createQueue(lesson, saved)));
  const mine = queue;
  const facts = line.textContent;

  // The page asks before it is left only where nothing keeps what was typed.
  delete form.dataset.guard;
  for (const part of form.querySelectorAll<HTMLElement>("[data-without-saving]"))
    part.hidden = true;
  const onReplaced = (name: string, value: unknown): void => write(form, name, value);
  shownForms.set(lesson, { onReplaced, onRecorded });
  for (const [name, value] of typed) mine.set(name, value);
  for (const [name, { value }] of mine.fields()) write(form, name, value);

  let savedAt = mine.savedAt;
  let said = "";
  const update = (): void => {
    const { text, isProblem } = describeSaving(mine.fields(), mine, navigator.onLine);
    line.textContent = text || facts;
    line.classList.toggle("pstate__problem", isProblem);
    if (isProblem && text !== said) announce(text, "assertive");
    said = text;
    for (const [name, field] of mine.fields()) showProblem(form, name, field, mine);
    for (const [name, other] of Object.entries(OTHER_WAY)) retryOpening(name, other);
    if (mine.savedAt !== savedAt) {
      savedAt = mine.savedAt;
      onSaved();
    }
  };
  const unsettled = new Set<string>();
  /** A date that was refused for the sake of days, or the other way around, is sent again once those are gone. */
  function retryOpening(name: string, other: string): void {
    const [field, way] = [mine.fields().get(name), mine.fields().get(other)];
    if (way?.state !== "saved") {
      unsettled.add(other);
      return;
    }
    if (!unsettled.delete(other) || way.value !== null || field?.state !== "refused") return;
    const { value } = field;
    mine.set(name, null);
    mine.set(name, value);
  }
  const onInput = ({ target }: Event): void => {
    const { name } = target as Control;
    if (!names.includes(name)) return;
    const value = read(form, name);
    mine.set(name, value);
    const other = OTHER_WAY[name];
    if (other && value !== null) {
      for (const control of controlsOf(form, other)) control.value = "";
      mine.set(other, null);
    }
    if (name === "title") onTitle(String(read(form, "title")));
  };
  const onFocus = ({ target }: Event): void => mine.focus(fieldOf(target));
  const onBlur = ({ target, relatedTarget }: FocusEvent): void => {
    if (fieldOf(relatedTarget) !== fieldOf(target)) mine.focus("");
  };
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault(); // Enter in a field
    event.stopPropagation();
    mine.flush();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey)
      return;
    event.preventDefault();
    mine.flush();
    const { text } = describeSaving(mine.fields(), mine, navigator.onLine);
    announce(text || t("Saved"));
  };
  const onOnline = (): void => mine.flush();
  const onHide = (): void => {
    if (document.visibilityState === "hidden") mine.leave();
  };
  const onUnload = (event: BeforeUnloadEvent): void => {
    if ([...mine.fields().values()].some(({ state }) => state === "memory")) event.preventDefault();
  };
  const ending = new AbortController();
  const { signal } = ending;
  form.addEventListener("input", onInput, { signal });
  form.addEventListener("focusin", onFocus, { signal });
  form.addEventListener("focusout", onBlur, { signal });
  form.addEventListener("submit", onSubmit, { signal });
  document.addEventListener("keydown", onKey, { signal });
  addEventListener("online", onOnline, { signal });
  document.addEventListener("visibilitychange", onHide, { signal });
  addEventListener("beforeunload", onUnload, { signal });
  const unsubscribe = mine.subscribe(update);
  update();
  return () => {
    ending.abort();
    unsubscribe();
    shownForms.delete(lesson);
    mine.flush();
  };
}

/** Why a field isn't saved, or isn't shown as it is saved: a refusal, or what another author made of it. */
function showProblem(form: HTMLFormElement, name: string, field: Field, queue: SaveQueue): void {
  const [control] = controlsOf(form, name);
  const place = control?.closest<HTMLElement>(".field, .needs");
  if (!control || !place) return;
  const { conflict, incoming, problem } = field;
  const old = place.querySelector<HTMLElement>(":scope > [data-unsaved]");
  let key = problem;
  if (conflict) key = `conflict ${conflict.version}`;
  else if (incoming) key = `incoming ${incoming.version}`;
  if ((old?.dataset.unsaved ?? "") === key) return;
  old?.remove();
  if (conflict || problem !== "") control.setAttribute("aria-invalid", "true");
  else control.removeAttribute("aria-invalid");
  if (key === "") return;
  let said: HTMLElement;
  if (conflict) said = conflictOf(name, conflict, queue);
  else said = incoming ? incomingOf(name, incoming, queue) : refusalOf(field);
  said.dataset.unsaved = key;
  place.append(said);
}

function refusalOf({ problem }: Field): HTMLElement {
  const line = document.createElement("p");
  line.className = "field__error";
  line.role = "alert";
  line.textContent = problem;
  return line;
}

function makeButton(label: string, look: string, onPress: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = `btn btn--sm ${look}`;
  button.textContent = label;
  button.addEventListener("click", onPress);
  return button;
}

function makeLine(className: string, text: string): HTMLElement {
  const line = document.createElement("p");
  line.className = className;
  line.textContent = text;
  return line;
}

function conflictOf(name: string, conflict: Conflict, queue: SaveQueue): HTMLElement {
  const notice = document.createElement("div");
  notice.className = "notice notice--warning";
  notice.role = "alert";
  const { title, lead, theirs, mine } = describeConflict(conflict);
  const choices = document.createElement("div");
  choices.className = "row row--tight mt-2";
  choices.append(
    makeButton(theirs, "", () => queue.resolve(name, "theirs")),
    makeButton(mine, "btn--primary", () => queue.resolve(name, "mine")),
  );
  const body = document.createElement("div");
  body.className = "notice__body";
  const value = makeLine("pstate__theirs", theirsOf(conflict.value));
  body.append(makeLine("small faint", lead), value, choices);
  notice.append(makeLine("notice__title", title), body);
  return notice;
}

function incomingOf(name: string, incoming: Conflict, queue: SaveQueue): HTMLElement {
  const line = document.createElement("div");
  line.className = "row row--tight small";
  line.role = "status";
  line.append(
    makeLine("", describeIncoming(incoming)),
    makeButton(t("Show it now"), "btn--quiet", () => queue.show(name)),
  );
  return line;
}

function theirsOf(value: unknown): string {
  if (typeof value === "boolean") return value ? t("On") : t("Off");
  if (Array.isArray(value) && value.length > 0) return String(value.length);
  return textOf(value) || t("(empty)");
}
