import type { ReactNode } from "react";

import { usePending } from "../hooks/usePending";
import { t } from "../i18n";

type Props = {
  isLoading: boolean;
  /** Elements of the class `skel` in the shape of the content. */
  shapes: ReactNode;
  children: () => ReactNode;
};

/** The shape of the content while it loads, after a second and for at least half a second; then the content. */
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
