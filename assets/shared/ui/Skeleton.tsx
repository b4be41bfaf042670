import type { ReactNode } from "react";

import { usePending } from "../hooks/usePending";
import { t } from "../i18n";

type Props = {
  isLoading: boolean;
  /** The shapes of what will stand here: elements of the class `skel`. */
  shapes: ReactNode;
  children: () => ReactNode;
};

/** The outline of what is loading, after a second and for at least half a one; then the thing. */
export function Skeleton({ isLoading, shapes, children }: Props) {
  const isShown = usePending(isLoading);
  if (isShown) {
    return (
      <div aria-busy="true">
        <span className="vh" role="status">
          {t("Loading")}
        </span>
        <div aria-hidden="true">{shapes}</div>
      </div>
    );
  }
  return isLoading ? <div aria-busy="true" /> : children();
}
