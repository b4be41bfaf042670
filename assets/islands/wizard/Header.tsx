import { type ReactNode, useEffect, useLayoutEffect, useState } from "react";
import { createPortal } from "react-dom";

import type { StudioCourse } from "./api";

const find = (part: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-wizard="${part}"]`);

type Props = { title: string; badge: StudioCourse["badge"]; children: ReactNode };

/** Keeps the head of the page true: the title as it is typed, the status, and how saving is going. */
export function Header({ title, badge, children }: Props) {
  const [spot, setSpot] = useState<HTMLElement | null>(null);
  useLayoutEffect(() => {
    const found = find("state");
    found?.replaceChildren();
    setSpot(found);
  }, []);
  useEffect(() => {
    if (title.trim() === "") return;
    const heading = find("title");
    const crumb = document.querySelector('.crumbs [aria-current="page"]');
    const before = heading?.textContent ?? "";
    if (heading) heading.textContent = title;
    if (crumb) crumb.textContent = title;
    if (before !== "") document.title = document.title.replace(before, title);
  }, [title]);
  if (!spot) return null;
  return createPortal(
    <>
      <span className={`badge${badge.tone === "" ? "" : ` badge--${badge.tone}`}`}>
        <span className={`pip${badge.pip === "" ? "" : ` pip--${badge.pip}`}`} aria-hidden="true" />
        {badge.label}
      </span>
      {children}
    </>,
    spot,
  );
}
