import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { toApiError } from "../../shared/api/errors";
import { useAuth } from "../../shared/auth/AuthProvider";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import { Icon } from "../../shared/ui/Icon";
import { Spinner } from "../../shared/ui/Spinner";
import { calls, fetchStatus } from "./api";
import { ChatStore } from "./store";
import { Tutor } from "./Tutor";
import type { CourseLink, LessonLink } from "./types";

export type PanelProps = { course: CourseLink; lesson: LessonLink; has_video: boolean };

/** The tutor beside a lesson. The page opens the panel around it (popover); a new chat begins with each page. */
export function LessonPanel({ course, lesson, has_video }: PanelProps) {
  const { isLoading } = useAuth();
  const status = useQuery({
    queryKey: ["tutor", "status"],
    queryFn: fetchStatus,
    enabled: !isLoading,
  });
  const [store] = useState(() => new ChatStore(calls, "online"));
  const [focus, setFocus] = useState(1);
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    store.resume();
    return () => store.close();
  }, [store]);
  useEffect(() => {
    const panel = root.current?.closest<HTMLElement>("[popover]");
    if (!panel) return undefined;
    const onToggle = (event: Event): void => {
      if ((event as ToggleEvent).newState === "open") setFocus((before) => before + 1);
      else if (panel.contains(document.activeElement) || document.activeElement === document.body)
        document.querySelector<HTMLElement>(`[popovertarget="${panel.id}"]`)?.focus();
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      panel.hidePopover();
    };
    panel.addEventListener("toggle", onToggle);
    panel.addEventListener("keydown", onKey);
    return () => {
      panel.removeEventListener("toggle", onToggle);
      panel.removeEventListener("keydown", onKey);
    };
  }, []);
  const close = (
    <button
      className="icon-btn icon-btn--sm"
      type="button"
      aria-label={t("Close")}
      onClick={() => root.current?.closest<HTMLElement>("[popover]")?.hidePopover()}
    >
      <Icon name="x" />
    </button>
  );
  return (
    <div ref={root} className="tutor__inside">
      {status.data ? (
        <Tutor
          store={store}
          status={status.data}
          courses={[]}
          about={{ course, lesson }}
          here={lesson.slug}
          hasVideo={has_video}
          focus={focus}
          after={close}
        />
      ) : (
        <div className="tutor__mid">
          <div className="tutor__top">
            <h2 className="h5">{t("AI Tutor")}</h2>
            {close}
          </div>
          <div className="tutor__thread">
            {status.error ? (
              <ErrorPanel
                error={toApiError(status.error)}
                onRetry={() => status.refetch({ throwOnError: true })}
              />
            ) : (
              <Spinner />
            )}
          </div>
        </div>
      )}
    </div>
  );
}
