import { useCallback, useEffect, useRef, useState } from "react";

import type { Surface } from "../editor/surface";
import { deleteDraft, fetchDraft, saveDraft } from "./api";
import {
  type Draft,
  forgetDraft,
  keepDraft,
  newest,
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

/** Keeps what is written on this device at once and on the server soon after, and brings it back. */
export function useDraft(place: Place, surface: Surface, key: string | null): DraftState {
  const { field, form, draft: name } = place;
  const [keptAt, setKeptAt] = useState<number | null>(null);
  const [isRestored, setRestored] = useState(false);
  const [other, setOther] = useState<Draft | null>(null);
  const device = useRef<ReturnType<typeof setTimeout>>(undefined);
  const server = useRef<ReturnType<typeof setTimeout>>(undefined);
  const unsaved = useRef<Draft | null>(null);
  const isChanged = useRef(false); // since the device kept it

  const stop = useCallback(() => {
    clearTimeout(device.current);
    clearTimeout(server.current);
    unsaved.current = null;
    isChanged.current = false;
  }, []);

  const isEmpty = useCallback(
    () => field.value === field.defaultValue || field.value.trim() === "",
    [field],
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

  const keep = useCallback(() => {
    clearTimeout(device.current);
    isChanged.current = false;
    if (key === null || isEmpty()) return;
    const draft = { source: field.value, fields: fieldsOf(form), at: Date.now() };
    keepDraft(name, draft);
    unsaved.current = draft;
    setKeptAt(draft.at);
  }, [field, form, isEmpty, key, name]);

  useEffect(() => {
    const onInput = (): void => {
      clearTimeout(device.current);
      clearTimeout(server.current);
      isChanged.current = true;
      device.current = setTimeout(keep, DEVICE_MS);
      server.current = setTimeout(send, SERVER_MS);
    };
    const onSubmit = (event: Event): void => {
      if (event.defaultPrevented) return;
      stop();
      setAside(name, { source: field.value, fields: fieldsOf(form), at: Date.now() });
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
  }, [field, form, keep, name, send, stop]);

  // What was kept before, once.
  useEffect(() => {
    if (key === null) return undefined;
    const isRefused = field.getAttribute("aria-invalid") === "true";
    const back = takeBack(name);
    const local = newest(readDraft(name), back);
    let isOver = false;
    const offer = (draft: Draft | null): void => {
      if (isOver || !draft || draft.source.trim() === "" || draft.source === field.value) return;
      if (isRefused || (field.defaultValue !== "" && !key.startsWith("edit-"))) return;
      if (field.value !== field.defaultValue) {
        setOther(draft); // the user has begun to write
        return;
      }
      fill(place, surface, draft);
      clearTimeout(device.current);
      setKeptAt(draft.at);
      setRestored(true);
    };
    // Shown at once; the server may have a newer one from another device.
    offer(local);
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
