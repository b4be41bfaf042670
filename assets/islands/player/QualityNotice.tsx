import { useEffect, useMemo } from "react";

import { makeError } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { ErrorPanel } from "../../shared/ui/ErrorPanel";
import type { Playback } from "./engine/playback";
import { usePlayback } from "./usePlayback";

const SHOWN_MS = 8000;

/** Says for some seconds that a slow connection lowered the quality. */
export function QualityNotice({ playback }: { playback: Playback }) {
  const lowered = usePlayback(playback, (state) => state.lowered);
  const notice = useMemo(() => {
    const error = makeError("VIDEO_QUALITY_DEGRADED");
    error.problem.title = t("Quality lowered to {height}", { height: lowered });
    return error;
  }, [lowered]);
  useEffect(() => {
    if (lowered === "") return undefined;
    const timer = setTimeout(() => playback.dismissLowered(), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [lowered, playback]);
  if (lowered === "") return null;
  return (
    <div className="stage__top">
      <ErrorPanel error={notice} onDismiss={() => playback.dismissLowered()} />
    </div>
  );
}
