import {
  type CSSProperties,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { createPortal } from "react-dom";

import { announce } from "../announce";
import { isComposing } from "../composing";
import { findBlocks, listBlocks, listPhrases } from "../editor/blocks";
import { type Edit, labelOf, type Selection } from "../editor/editing";
import type { Surface } from "../editor/surface";
import { t, tn } from "../i18n";
import type { IconName } from "../iconNames";
import { Icon } from "../ui/Icon";
import { fetchPeople, fetchTopics } from "./api";
import { type Trigger, type TriggerKind, triggerAt } from "./completion";

const DELAY_MS = 150;

type Option = {
  id: string;
  title: string;
  hint: string;
  icon?: IconName;
  /** What is inserted in place of the trigger; */
  insert?: string;
  /** or what is done to the text without the trigger; null: the user chooses files. */
  edit?: ((selection: Selection) => Edit) | null;
};

type Props = {
  field: HTMLTextAreaElement;
  surface: Surface;
  /** Where the options appear. */
  list: HTMLElement;
  /** What this place completes. */
  triggers: readonly TriggerKind[];
  topic: number | null;
  /** Whether only what stands within a line is offered. */
  isPhrasing: boolean;
  onFiles: () => void;
};

type Found = {
  from: number;
  caret: number;
  options: Option[];
  label: string;
  place: CSSProperties;
};

/** As wide and as high as the options may be (styles/components/composer.css), in pixels. */
const MENU = { width: 384, height: 256 };

/** Below the caret, or above it where the window ends. */
function placeBeside(caret: ReturnType<Surface["findCaret"]>): CSSProperties {
  if (!caret) return {};
  const { clientWidth, clientHeight } = document.documentElement;
  const left = Math.max(8, Math.min(caret.left, clientWidth - MENU.width - 8));
  const isAbove = caret.bottom + MENU.height > clientHeight && caret.top > clientHeight / 2;
  return {
    position: "fixed",
    left,
    width: Math.min(MENU.width, clientWidth - 16),
    ...(isAbove
      ? { top: "auto", bottom: clientHeight - caret.top + 4 }
      : { top: caret.bottom + 4 }),
  };
}

async function fetchOptions(
  { kind, query }: Trigger,
  topic: number | null,
  isPhrasing: boolean,
  signal: AbortSignal,
): Promise<Option[]> {
  if (kind === "block")
    return findBlocks(isPhrasing ? listPhrases() : listBlocks(), query).map(
      ({ id, icon, label, hint, edit }) => ({
        id,
        icon,
        title: label,
        hint,
        edit,
      }),
    );
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

const labels: Record<TriggerKind, () => string> = {
  person: () => t("People"),
  topic: () => t("Topics"),
  block: () => t("Insert"),
};

/**
 * Completes mentions and links to topics, and offers blocks. While options are shown, the field is a combobox with a
 * listbox (ARIA Authoring Practices); the focus stays in it.
 */
export function Suggestions({ field, surface, list, triggers, topic, isPhrasing, onFiles }: Props) {
  const listId = useId();
  const [found, setFound] = useState<Found | null>(null);
  const [active, setActive] = useState(0);
  const dismissed = useRef(-1);
  const offered = useMemo(() => new Set(triggers), [triggers]);

  const close = useCallback(() => setFound(null), []);

  const choose = useCallback(
    (index: number) => {
      const option = found?.options[index];
      if (!found || !option) return;
      close();
      const { text } = surface.read();
      if (option.insert !== undefined) {
        const end = found.from + option.insert.length;
        // The space that follows already is not doubled.
        const to = text[found.caret] === " " ? found.caret + 1 : found.caret;
        surface.apply({ from: found.from, to, insert: option.insert, start: end, end });
        return;
      }
      const { from, caret } = found;
      if (!option.edit) {
        surface.apply({ from, to: caret, insert: "", start: from, end: from });
        onFiles();
        return;
      }
      // One step of undo: the trigger goes with the same replacement.
      const rest = text.slice(0, from) + text.slice(caret);
      const edit = option.edit({ text: rest, start: from, end: from });
      const [first, last] = [Math.min(edit.from, from), Math.max(edit.to, from)];
      surface.apply({
        ...edit,
        from: first,
        to: last + caret - from,
        insert: rest.slice(first, edit.from) + edit.insert + rest.slice(edit.to, last),
      });
    },
    [close, found, onFiles, surface],
  );

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let request: AbortController | undefined;
    const update = (): void => {
      clearTimeout(timer);
      request?.abort();
      const { text, start: caret, end } = surface.read();
      const trigger = caret === end ? triggerAt(text, caret) : null;
      if (!trigger || !offered.has(trigger.kind) || trigger.from === dismissed.current) {
        if (!trigger) dismissed.current = -1;
        close();
        return;
      }
      const { signal } = (request = new AbortController());
      const show = (): void => {
        fetchOptions(trigger, topic, isPhrasing, signal).then(
          (options) => {
            if (signal.aborted) return;
            const label = labels[trigger.kind]();
            const place = placeBeside(surface.findCaret());
            setFound(
              options.length > 0 ? { from: trigger.from, caret, options, label, place } : null,
            );
            setActive(0);
            if (options.length > 0)
              announce(tn("{count} suggestion", "{count} suggestions", options.length));
          },
          () => signal.aborted || close(), // what is written stays as it is
        );
      };
      if (trigger.kind === "block") show();
      else timer = setTimeout(show, DELAY_MS);
    };
    const hide = (): void => {
      clearTimeout(timer);
      request?.abort();
      close();
    };
    // This was fetched because of the sign that stands there; the field may have been left meanwhile.
    if (surface.element.contains(document.activeElement)) update();
    field.addEventListener("input", update);
    surface.element.addEventListener("blur", hide);
    return () => {
      hide();
      field.removeEventListener("input", update);
      surface.element.removeEventListener("blur", hide);
    };
  }, [close, field, isPhrasing, offered, surface, topic]);

  // The caret left the word.
  useEffect(() => {
    if (!found) return undefined;
    // Asked of what is found by then: this may come between new options and the effects that follow them.
    const check = (): void => {
      const { start, end } = surface.read();
      setFound((now) => (start === now?.caret && end === now.caret ? now : null));
    };
    // The options stay beside the caret.
    const onScroll = ({ target }: Event): void => {
      if (found.place.position !== "fixed" || document.getElementById(listId) === target) return;
      const caret = surface.findCaret();
      const isSeen = caret && caret.bottom > 0 && caret.top < document.documentElement.clientHeight;
      setFound(isSeen ? { ...found, place: placeBeside(caret) } : null);
    };
    document.addEventListener("selectionchange", check);
    document.addEventListener("scroll", onScroll, { capture: true, passive: true });
    return () => {
      document.removeEventListener("selectionchange", check);
      document.removeEventListener("scroll", onScroll, { capture: true });
    };
  }, [close, found, listId, surface]);

  // Once options are seen, the keys are theirs: no frame lies between.
  useLayoutEffect(() => {
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
      event.stopImmediatePropagation();
    };
    surface.element.addEventListener("keydown", onKey, { capture: true });
    return () => surface.element.removeEventListener("keydown", onKey, { capture: true });
  }, [active, choose, close, found, surface]);

  // A text field has no options: the roles stand there only while there are some.
  useLayoutEffect(() => {
    if (!found) return undefined;
    const { element } = surface;
    const role = element.getAttribute("role");
    const multiline = element.getAttribute("aria-multiline"); // which a combobox cannot have
    element.removeAttribute("aria-multiline");
    const attributes = {
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-haspopup": "listbox",
      "aria-expanded": "true",
      "aria-controls": listId,
      "aria-activedescendant": `${listId}-${active}`,
    };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return () => {
      for (const name of Object.keys(attributes)) element.removeAttribute(name);
      if (role !== null) element.setAttribute("role", role);
      if (multiline !== null) element.setAttribute("aria-multiline", multiline);
    };
  }, [active, found, listId, surface]);

  if (!found) return null;
  return createPortal(
    <div
      className="composer__options"
      id={listId}
      role="listbox"
      aria-label={found.label}
      style={found.place}
    >
      {found.options.map(({ id, title, hint, icon }, index) => (
        // The keys are those of the textarea, which keeps the focus.
        // eslint-disable-next-line jsx-a11y/click-events-have-key-events
        <div
          key={id}
          id={`${listId}-${index}`}
          role="option"
          aria-selected={index === active}
          tabIndex={-1}
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(index)}
        >
          {icon && <Icon name={icon} />}
          <span className="medium clip">{title}</span>{" "}
          <span className="small faint clip">{hint}</span>
        </div>
      ))}
    </div>,
    list,
  );
}
