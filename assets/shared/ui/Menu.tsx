import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";

export type MenuItem = {
  id: string;
  title: ReactNode;
  /** For a choice of one of several. */
  isChecked?: boolean;
  isDisabled?: boolean;
};
type Props = {
  /** The accessible name of the button, e.g. “Speed: 1.25×”. */
  label: string;
  button: ReactNode;
  buttonClass?: string;
  /** -1 for one of many, such as in a grid whose cells the arrow keys reach. */
  buttonTabIndex?: number;
  heading?: string;
  items: MenuItem[];
  onChoose: (id: string) => void;
  onToggle?: (isOpen: boolean) => void;
};

/** A menu button (ARIA Authoring Practices): arrow keys, Home, End, first letters, Escape. */
export function Menu({
  label,
  button,
  buttonClass = "btn",
  buttonTabIndex,
  heading,
  items,
  onChoose,
  onToggle,
}: Props) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const id = useId();

  const toggle = (next: boolean): void => {
    setOpen(next);
    onToggle?.(next);
  };
  const close = (): void => {
    toggle(false);
    opener.current?.focus();
  };

  useEffect(() => {
    if (!isOpen) return undefined;
    const entries = root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [];
    const checked = [...entries].find((entry) => entry.ariaChecked === "true");
    (checked ?? entries[0])?.focus();
    const onPress = ({ target }: Event): void => {
      if (root.current?.contains(target as Node)) return;
      setOpen(false);
      onToggle?.(false);
    };
    document.addEventListener("pointerdown", onPress);
    return () => document.removeEventListener("pointerdown", onPress);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the listener lives as long as the menu is open
  }, [isOpen]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const entries = [...(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const here = entries.indexOf(document.activeElement as HTMLElement);
    const last = entries.length - 1;
    const moves: Record<string, number> = {
      ArrowDown: here === last ? 0 : here + 1,
      ArrowUp: here <= 0 ? last : here - 1,
      Home: 0,
      End: last,
    };
    if (event.key === "Escape") close();
    else if (event.key === "Tab") {
      toggle(false);
      return;
    } else if (event.key in moves) entries[moves[event.key] ?? 0]?.focus();
    else if (event.key.length === 1 && event.key !== " ") {
      const order = [...entries.slice(here + 1), ...entries.slice(0, here + 1)];
      const letter = event.key.toLowerCase();
      order.find((entry) => entry.textContent.trim().toLowerCase().startsWith(letter))?.focus();
    } else return;
    // Keys that the menu handled must not run shortcuts of the page.
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="menu" ref={root}>
      <button
        ref={opener}
        type="button"
        className={buttonClass}
        tabIndex={buttonTabIndex}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => (isOpen ? close() : toggle(true))}
        onKeyDown={(event) => {
          if (isOpen || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
          event.preventDefault();
          event.stopPropagation();
          toggle(true);
        }}
      >
        {button}
      </button>
      {isOpen && (
        <div
          className="menu__panel"
          role="menu"
          id={id}
          tabIndex={-1}
          aria-label={heading ?? label}
          onKeyDown={onKeyDown}
        >
          {heading !== undefined && (
            <p className="menu__label" aria-hidden="true">
              {heading}
            </p>
          )}
          {items.map(({ id: item, title, isChecked, isDisabled }) => (
            <button
              key={item}
              type="button"
              className="menu__item"
              role={isChecked === undefined ? "menuitem" : "menuitemradio"}
              aria-checked={isChecked}
              aria-disabled={isDisabled}
              tabIndex={-1}
              onClick={() => {
                if (isDisabled) return;
                onChoose(item);
                close();
              }}
            >
              {title}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
