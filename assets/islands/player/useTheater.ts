import { useState } from "react";

import type { Switch } from "./view";

/** Local storage: "on" if the video takes the whole width of the page. beforePaint.ts reads it, too. */
const KEY = "study.theater";

/** Whether the video takes the whole width of the page; remembered for all lessons. */
export function useTheater(): Switch {
  const { dataset } = document.documentElement;
  const [isOn, setOn] = useState(dataset.theater !== undefined);
  const toggle = (): void => {
    const next = dataset.theater === undefined;
    if (next) dataset.theater = "";
    else delete dataset.theater;
    setOn(next);
    try {
      if (next) localStorage.setItem(KEY, "on");
      else localStorage.removeItem(KEY);
    } catch {
      // Storage is blocked: it holds for this page.
    }
  };
  return { isOn, toggle };
}
