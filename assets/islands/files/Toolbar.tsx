import { useEffect, useRef, useState } from "react";

import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { Order } from "./api";
import type { Target } from "./changes";
import { addressOf, type Place } from "./place";
import { isForBrowser } from "./types";

const DEBOUNCE_MS = 300;

type CrumbsProps = {
  /** The folders above the shown one, from the top. */
  trail: readonly { uid: string; name: string }[];
  here: Target;
  onOpen: (folder: string | null) => void;
};

/** The folders above, as links; entries can be dropped on them. */
export function Crumbs({ trail, here, onOpen }: CrumbsProps) {
  if (here.uid === null) return null;
  const above: Target[] = [{ uid: null, name: t("My files") }, ...trail];
  return (
    <nav className="crumbs" aria-label={t("Breadcrumb")}>
      <ol>
        {above.map(({ uid, name }) => (
          <li key={uid ?? ""}>
            <a
              href={uid ? `/files/?folder=${uid}` : "/files/"}
              data-drop={uid ?? ""}
              data-no-preload=""
              onClick={(event) => {
                if (isForBrowser(event)) return;
                event.preventDefault();
                onOpen(uid);
              }}
            >
              {name}
            </a>
          </li>
        ))}
        <li aria-current="page">{here.name}</li>
      </ol>
    </nav>
  );
}

type ToolbarProps = {
  place: Place;
  /** The folder in which it searches. */
  name: string;
  onChange: (change: Partial<Place>) => void;
};

/** Search, order, and list or grid. */
export function Toolbar({ place, name, onChange }: ToolbarProps) {
  const [typed, setTyped] = useState(place.q);
  const asked = useRef(place.q);
  // Back and forward, and another folder, change what is asked without typing.
  useEffect(() => {
    if (asked.current === place.q) return;
    asked.current = place.q;
    setTyped(place.q);
  }, [place.q]);
  const ask = (text: string): void => {
    asked.current = text;
    onChange({ q: text });
  };
  useEffect(() => {
    const text = typed.trim();
    if (text === asked.current) return undefined;
    const timer = setTimeout(() => ask(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- only typing asks
  }, [typed]);

  const sorts: [Order, string][] = [
    ["modified", t("Last modified")],
    ["name", t("Name")],
    ["size", t("Size")],
    ["type", t("Type")],
  ];
  const views = [
    ["list", t("List"), "list"],
    ["grid", t("Grid"), "layout-grid"],
  ] as const;
  return (
    <form
      className="files__bar mt-2"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        ask(typed.trim());
      }}
    >
      <label className="search">
        <span className="vh">{t("Search files")}</span>
        <Icon name="search" />
        <input
          type="search"
          value={typed}
          maxLength={100}
          autoComplete="off"
          placeholder={t("Search in {place}", { place: name })}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape" || typed === "") return;
            event.preventDefault();
            setTyped("");
            ask("");
          }}
        />
      </label>
      <label className="vh" htmlFor="sort">
        {t("Sort by")}
      </label>
      <select
        className="select"
        id="sort"
        value={place.sort}
        onChange={(event) => onChange({ sort: event.target.value as Order })}
      >
        {sorts.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <div className="seg" role="group" aria-label={t("View")}>
        {views.map(([view, label, icon]) => (
          <a
            key={view}
            href={addressOf({ ...place, view })}
            aria-label={label}
            aria-current={place.view === view ? "true" : undefined}
            onClick={(event) => {
              if (isForBrowser(event)) return;
              event.preventDefault();
              onChange({ view });
            }}
          >
            <Icon name={icon} />
          </a>
        ))}
      </div>
    </form>
  );
}
