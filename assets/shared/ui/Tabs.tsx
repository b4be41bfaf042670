import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";

export type Tab = { id: string; title: ReactNode; count?: number; content: () => ReactNode };
type Props = { label: string; tabs: Tab[]; initial?: string; onChange?: (id: string) => void };

/** Tabs without addresses of their own (ARIA Authoring Practices): arrow keys choose a tab. */
export function Tabs({ label, tabs, initial, onChange }: Props) {
  const [chosen, setChosen] = useState(initial ?? tabs[0]?.id);
  const list = useRef<HTMLDivElement>(null);
  const base = useId();
  const current = tabs.find(({ id }) => id === chosen) ?? tabs[0];

  const choose = (id: string): void => {
    setChosen(id);
    onChange?.(id);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const here = tabs.findIndex(({ id }) => id === current?.id);
    const last = tabs.length - 1;
    const index = {
      ArrowRight: here === last ? 0 : here + 1,
      ArrowLeft: here === 0 ? last : here - 1,
      Home: 0,
      End: last,
    }[event.key];
    const next = index === undefined ? undefined : tabs[index];
    if (!next) return;
    event.preventDefault();
    choose(next.id);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[index ?? 0]?.focus();
  };

  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} ref={list}>
        {tabs.map(({ id, title, count }) => {
          const isChosen = id === current?.id;
          return (
            <button
              key={id}
              type="button"
              role="tab"
              id={`${base}-${id}`}
              aria-selected={isChosen}
              aria-controls={isChosen ? `${base}-panel` : undefined}
              tabIndex={isChosen ? 0 : -1}
              onClick={() => choose(id)}
              onKeyDown={onKeyDown}
            >
              {title}
              {count !== undefined && <span className="tabs__n">{count}</span>}
            </button>
          );
        })}
      </div>
      {current && (
        <div
          role="tabpanel"
          id={`${base}-panel`}
          aria-labelledby={`${base}-${current.id}`}
          tabIndex={0}
        >
          {current.content()}
        </div>
      )}
    </>
  );
}
