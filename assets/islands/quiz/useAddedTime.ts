import { useEffect, useRef, useState } from "react";

import { announce } from "../../shared/announce";
import { spokenTime } from "../../shared/format";
import { t } from "../../shared/i18n";
import type { Attempt } from "./api";

/** What the learner is told of time that was added while the attempt is open; announced once, "" before. */
export function useAddedTime({ time_limit: limit, seconds_left: left }: Attempt): string {
  const known = useRef(limit);
  const [said, setSaid] = useState("");
  useEffect(() => {
    const before = known.current;
    known.current = limit;
    if (limit === before) return;
    const words =
      limit === 0
        ? t("There is no time limit anymore")
        : t("You have {time} more", { time: spokenTime(limit - before) });
    setSaid(words);
    if (limit === 0) announce(t("There is no time limit anymore"), "assertive");
    else
      announce(
        t("You have {more} more. {left} left.", {
          more: spokenTime(limit - before),
          left: spokenTime(left ?? 0),
        }),
        "assertive",
      );
    // Only when the limit changes, not with each answer of the server.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [limit]);
  return said;
}
