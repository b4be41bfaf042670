import { useCallback, useEffect, useRef, useState } from "react";

import { announce } from "../../shared/announce";
import { isComposing } from "../../shared/composing";
import { t, tn } from "../../shared/i18n";
import { fetchPeople, fetchTopics } from "./api";
import { triggerAt } from "./completion";
import { apply, labelOf } from "./editing";

export const DELAY_MS = 150;

export type Option = {
  id: string;
  /** What is inserted. */
  insert: string;
  title: string;
  hint: string;
};

export type Completion = {
  options: readonly Option[];
  active: number;
  label: string;
  choose: (index: number) => void;
};

type Found = { from: number; caret: number; options: Option[]; label: string };

async function fetchOptions(
  kind: "person" | "topic",
  query: string,
  topic: number | null,
  signal: AbortSignal,
): Promise<Option[]> {
  if (kind === "person")
    return (await fetchPeople(query, topic, signal)).map(({ username, name, is_staff }) => ({
      id: username,
      insert: `@${username} `,
      title: `@${username}`,
      hint: is_staff ? t("{name}, instructor", { name }) : name,
    }));
  return (await fetchTopics(query, signal)).map(({ id, title, board }) => ({
    id: String(id),
    insert: `[${labelOf(title)}](/forum/topics/${id}) `,
    title,
    hint: board,
  }));
}

/**
 * Completes mentions and links to topics. While options are shown, the textarea is a combobox with a listbox (ARIA
 * Authoring Practices); the focus stays in it.
 */
export function useCompletion(
  field: HTMLTextAreaElement,
  listId: string,
  topic: number | null,
): Completion {
  const [found, setFound] = useState<Found | null>(null);
  const [active, setActive] = useState(0);
  const dismissed = useRef(-1);

  const close = useCallback(() => setFound(null), []);

  const choose = useCallback(
    (index: number) => {
      const option = found?.options[index];
      if (!found || !option) return;
      const end = found.from + option.insert.length;
      // The space that follows already is not doubled.
      const to = field.value[found.caret] === " " ? found.caret + 1 : found.caret;
      apply(field, { from: found.from, to, insert: option.insert, start: end, end });
      close();
    },
    [close, field, found],
  );

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let request: AbortController | undefined;
    const update = (): void => {
      clearTimeout(timer);
      request?.abort();
      const { value, selectionStart: caret, selectionEnd } = field;
      const trigger = caret === selectionEnd ? triggerAt(value, caret) : null;
      if (!trigger || trigger.from === dismissed.current) {
        if (!trigger) dismissed.current = -1;
        close();
        return;
      }
      const { signal } = (request = new AbortController());
      timer = setTimeout(() => {
        fetchOptions(trigger.kind, trigger.query, topic, signal).then(
          (options) => {
            if (signal.aborted) return;
            const label = trigger.kind === "person" ? t("People") : t("Topics");
            setFound(options.length > 0 ? { from: trigger.from, caret, options, label } : null);
            setActive(0);
            if (options.length > 0)
              announce(tn("{count} suggestion", "{count} suggestions", options.length));
          },
          () => signal.aborted || close(), // what is written stays as it is
        );
      }, DELAY_MS);
    };
    const hide = (): void => {
      clearTimeout(timer);
      request?.abort();
      close();
    };
    field.addEventListener("input", update);
    field.addEventListener("blur", hide);
    return () => {
      hide();
      field.removeEventListener("input", update);
      field.removeEventListener("blur", hide);
    };
  }, [close, field, topic]);

  // The caret left the word.
  useEffect(() => {
    if (!found) return undefined;
    const check = (): void => {
      if (field.selectionStart !== found.caret || field.selectionEnd !== found.caret) close();
    };
    document.addEventListener("selectionchange", check);
    return () => document.removeEventListener("selectionchange", check);
  }, [close, field, found]);

  useEffect(() => {
    if (!found) return undefined;
    const last = found.options.length - 1;
    const onKey = (event: KeyboardEvent): void => {
      if (isComposing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "ArrowDown") setActive((at) => (at === last ? 0 : at + 1));
      else if (event.key === "ArrowUp") setActive((at) => (at === 0 ? last : at - 1));
      else if (event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) choose(active);
      else if (event.key === "Escape") {
        dismissed.current = found.from;
        close();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    };
    field.addEventListener("keydown", onKey, { capture: true });
    return () => field.removeEventListener("keydown", onKey, { capture: true });
  }, [active, choose, close, field, found]);

  // A text field has no options: the roles stand there only while there are some.
  useEffect(() => {
    if (!found) return undefined;
    const attributes = {
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-haspopup": "listbox",
      "aria-expanded": "true",
      "aria-controls": listId,
      "aria-activedescendant": `${listId}-${active}`,
    };
    for (const [name, value] of Object.entries(attributes)) field.setAttribute(name, value);
    return () => {
      for (const name of Object.keys(attributes)) field.removeAttribute(name);
    };
  }, [active, field, found, listId]);

  return { options: found?.options ?? [], active, label: found?.label ?? "", choose };
}
