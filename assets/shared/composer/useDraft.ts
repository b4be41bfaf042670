import { useCallback, useEffect, useRef, useState } from "react";

import type { Surface } from "../editor/surface";
import { deleteDraft, fetchDraft, saveDraft } from "./api";
import {
  type Draft,
  forgetDraft,
  keepDraft,
  newest,
  printOf,
  readAside,
  readDraft,
  setAside,
  takeBack,
} from "./drafts";
import type { Place } from "./place";

export const DEVICE_MS = 300;
export const SERVER_MS = 3_000;

export type DraftState = {
  /** When the draft was kept, in ms since 1970; null: there is nothing to keep. */
  keptAt: number | null;
  isRestored: boolean;
  /** A draft that was found after the user had begun to write. */
  other: Draft | null;
  restore: () => void;
  discard: () => void;
};

/** Fields of the form that belong to the draft: those with `data-draft-field`. */
function otherFields(form: HTMLFormElement | null): (HTMLInputElement | HTMLSelectElement)[] {
  return [...(form?.querySelectorAll<HTMLInputElement>("[data-draft-field]") ?? [])];
}

function fieldsOf(form: HTMLFormElement | null): Record<string, string> {
  return Object.fromEntries(otherFields(form).map(({ name, value }) => [name, value]));
}

function fill(place: Place, surface: Surface, { source, fields }: Draft): void {
  for (const one of otherFields(place.form)) {
    const value = fields[one.name];
    if (value === undefined || value === one.value) continue;
    one.value = value;
    one.dispatchEvent(new Event("input", { bubbles: true }));
  }
  surface.setText(source);
}

/**
 * Keeps what is written on this device immediately, and on the server soon after, and brings it back.
 * @param key of the draft on the server; null: this device alone keeps it, if the place has a name for it
 */
export function useDraft(place: Place, surface: Surface, key: string | null): DraftState {
  const { field, form, draft: name } = place;
  const [keptAt, setKeptAt] = useState<number | null>(null);
  const [isRestored, setRestored] = useState(false);
  const [other, setOther] = useState<Draft | null>(null);
  const device = useRef<ReturnType<typeof setTimeout>>(undefined);
  const server = useRef<ReturnType<typeof setTimeout>>(undefined);
  const unsaved = useRef<Draft | null>(null);
  const isChanged = useRef(false); // since the device kept it
  const base = useRef(printOf(field.defaultValue));

  const stop = useCallback(() => {
    clearTimeout(device.current);
    clearTimeout(server.current);
    unsaved.current = null;
    isChanged.current = false;
  }, []);

  /** Whether there is nothing to keep: no text, or the one that the server has. */
  const isEmpty = useCallback(
    () =>
      field.value.trim() === "" ||
      (key === null ? printOf(field.value) === base.current : field.value === field.defaultValue),
    [field, key],
  );

  /** Send to the server what it does not have yet. */
  const send = useCallback(
    (keepalive = false) => {
      const draft = unsaved.current;
      unsaved.current = null;
      // The device keeps it anyway; the next change tries again.
      if (draft && key !== null) void saveDraft(key, draft, keepalive).catch(() => undefined);
    },
    [key],
  );

  const make = useCallback((): Draft => {
    const draft = { source: field.value, fields: fieldsOf(form), at: Date.now() };
    // The server's drafts know nothing of the text that is changed.
    return key === null ? { ...draft, base: base.current } : draft;
  }, [field, form, key]);

  const keep = useCallback(() => {
    clearTimeout(device.current);
    isChanged.current = false;
    if (name === "") return;
    if (isEmpty()) {
      // Taken back by hand: an earlier draft must not return.
      if (readDraft(name) === null) return;
      forgetDraft(name);
      setKeptAt(null);
      setRestored(false);
      unsaved.current = null;
      if (key !== null) void deleteDraft(key).catch(() => undefined);
      return;
    }
    const draft = make();
    const isKept = keepDraft(name, draft);
    unsaved.current = draft;
    if (isKept || key !== null) setKeptAt(draft.at);
  }, [isEmpty, key, make, name]);

  useEffect(() => {
    const onInput = (): void => {
      clearTimeout(device.current);
      clearTimeout(server.current);
      isChanged.current = true;
      device.current = setTimeout(keep, DEVICE_MS);
      server.current = setTimeout(send, SERVER_MS);
    };
    const onSubmit = (event: Event): void => {
      if (event.defaultPrevented || name === "") return;
      stop();
      setAside(name, make());
    };
    const onHide = (): void => {
      if (document.visibilityState !== "hidden") return;
      if (isChanged.current) keep();
      send(true);
    };
    // Sent without leaving the page: nothing is left to keep.
    const onReset = (): void => {
      stop();
      forgetDraft(name);
      setKeptAt(null);
      setRestored(false);
      setOther(null);
    };
    const target: HTMLElement = form ?? field;
    target.addEventListener("input", onInput);
    target.addEventListener("reset", onReset);
    document.addEventListener("visibilitychange", onHide);
    // After the listeners that may keep the form from being sent.
    const onWindowSubmit = (event: Event): void => {
      if (event.target === form) onSubmit(event);
    };
    addEventListener("submit", onWindowSubmit);
    return () => {
      target.removeEventListener("input", onInput);
      target.removeEventListener("reset", onReset);
      document.removeEventListener("visibilitychange", onHide);
      removeEventListener("submit", onWindowSubmit);
      stop();
    };
  }, [field, form, keep, make, name, send, stop]);

  // What was kept before, once.
  useEffect(() => {
    if (name === "") return undefined;
    const isRefused = field.getAttribute("aria-invalid") === "true";
    const aside = readAside(name);
    const back = takeBack(name);
    // The server shows what was sent and has not saved it: it is still a draft of the text before.
    if (aside?.source === field.defaultValue && form?.dataset.guard === "unsaved") {
      base.current = aside.base ?? base.current;
      keepDraft(name, aside);
    }
    // Sent, but the server has the text from before: the session was over, or it was away.
    const isUnsent =
      aside?.base !== undefined &&
      aside.base === base.current &&
      aside.source !== field.defaultValue;
    const local = newest(readDraft(name), back, isUnsent ? aside : null);
    let isOver = false;
    const offer = (draft: Draft | null): void => {
      if (isOver || !draft || draft.source.trim() === "" || draft.source === field.value) return;
      const isOfThisText =
        draft.base === undefined
          ? field.defaultValue === "" || key?.startsWith("edit-")
          : draft.base === base.current;
      if (isRefused || (!isOfThisText && draft.base === undefined)) return;
      if (!isOfThisText) {
        setOther(draft); // it was changed elsewhere since
        return;
      }
      if (field.value !== field.defaultValue) {
        setOther(draft); // the user has begun to write
        return;
      }
      fill(place, surface, draft);
      clearTimeout(device.current);
      keepDraft(name, draft);
      setKeptAt(draft.at);
      setRestored(true);
    };
    // Shown at once; the server may have a newer one from another device.
    offer(local);
    if (key === null) return undefined;
    const shown = local ? field.value : null;
    fetchDraft(key).then(
      (remote) => {
        if (!remote || (local && remote.at <= local.at)) return;
        // Nobody has written since the older one was shown.
        if (shown !== null && field.value === shown) surface.setText(field.defaultValue);
        offer(remote);
      },
      () => undefined, // offline: the draft of this device is all there is
    );
    return () => {
      isOver = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once
  }, []);

  const restore = useCallback(() => {
    if (!other) return;
    fill(place, surface, other);
    setOther(null);
    setRestored(true);
  }, [other, place, surface]);

  const discard = useCallback(() => {
    fill(place, surface, { source: field.defaultValue, fields: {}, at: 0 });
    stop();
    forgetDraft(name);
    if (key !== null) void deleteDraft(key).catch(() => undefined);
    setKeptAt(null);
    setRestored(false);
    setOther(null);
    surface.focus();
  }, [field, key, name, place, stop, surface]);

  return { keptAt, isRestored, other, restore, discard };
}
