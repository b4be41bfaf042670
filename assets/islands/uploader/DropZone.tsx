import { useState } from "react";

import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { VideoLesson } from "./api";
import type { Limits } from "./checkFile";

type Props = {
  limits: Limits;
  target: VideoLesson | null;
  onFiles: (files: File[]) => void;
};

/** Where files are dropped or chosen. A file input covers the whole zone, so it works by keyboard, too. */
export function DropZone({ limits, target, onFiles }: Props) {
  const [isOver, setOver] = useState(false);
  const formats = t("{first} or {last}", {
    first: limits.formats.slice(0, -1).join(", "),
    last: limits.formats.at(-1) ?? "",
  });
  return (
    <label className={isOver ? "drop is-over" : "drop"}>
      <Icon name="hard-drive-upload" />
      <b>
        {target
          ? t("Drop the video for lesson {number} here, or click to choose it", {
              number: target.number,
            })
          : t("Drop videos here, or click to choose them")}
      </b>
      <span className="small muted">
        {target && `${target.course_title}: ${target.title}. `}
        {t("{formats}, up to {limit} each. 1080p and 5 to 15 minutes work best.", {
          formats,
          limit: limits.videoLabel,
        })}
      </span>
      <input
        type="file"
        multiple
        accept={limits.endings.join(",")}
        aria-label={t("Choose videos")}
        onDragEnter={() => setOver(true)}
        onDragLeave={() => setOver(false)}
        onDrop={() => setOver(false)}
        onChange={({ target: input }) => {
          const files = [...(input.files ?? [])];
          input.value = ""; // the same file may be chosen again
          if (files.length > 0) onFiles(files);
        }}
      />
    </label>
  );
}
