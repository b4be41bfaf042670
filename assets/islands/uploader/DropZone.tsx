import { type DragEvent, useState } from "react";

import { t } from "../../shared/i18n";
import { toast } from "../../shared/toasts";
import { Icon } from "../../shared/ui/Icon";
import {
  canReopenFiles,
  chooseFiles,
  matchHandles,
  takeHandles,
} from "../../shared/uploads/fileHandles";
import { droppedFiles } from "../../shared/uploads/paths";
import type { VideoLesson } from "./api";
import type { Limits } from "./checkFile";
import { hasVideo } from "./jobs";
import { shownIn } from "./ReplaceDialog";

type Props = {
  limits: Limits;
  target: VideoLesson | null;
  onFiles: (files: File[]) => void;
};

/** Hidden files, and what Windows adds to folders. */
const SYSTEM_FILE = /^\.|^(thumbs\.db|desktop\.ini)$/i;

/** Where files are dropped or chosen. A file input covers the whole zone, so it works by keyboard, too. */
export function DropZone({ limits, target, onFiles }: Props) {
  const [isOver, setOver] = useState(false);
  const [canPick, setCanPick] = useState(canReopenFiles);

  /** With a folder, too. What a system puts into folders by itself is left out. */
  const drop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    setOver(false);
    const handles = takeHandles(event.dataTransfer);
    const { files, unreadable } = await droppedFiles(event.dataTransfer);
    if (unreadable.length > 0)
      toast(t("Can't be read: {names}", { names: unreadable.join(", ") }), {
        icon: "circle-alert",
        stays: true,
      });
    const chosen = files.filter(({ name }) => !SYSTEM_FILE.test(name));
    matchHandles(chosen, await handles);
    if (chosen.length > 0) onFiles(chosen);
  };

  const pick = async (): Promise<void> => {
    try {
      const files = await chooseFiles(limits.endings);
      if (files.length > 0) onFiles(files);
    } catch {
      setCanPick(false); // forbidden here: the next click opens the usual chooser
    }
  };

  const formats = t("{first} or {last}", {
    first: limits.formats.slice(0, -1).join(", "),
    last: limits.formats.at(-1) ?? "",
  });
  const replaced =
    target && hasVideo(target) ? t("It replaces {video}.", { video: shownIn(target) }) : null;
  return (
    <label className={isOver ? "drop is-over" : "drop"}>
      <Icon name="hard-drive-upload" />
      <b>
        {target && hasVideo(target)
          ? t("Drop the new video of lesson {number} here, or click to choose it", {
              number: target.number,
            })
          : target
            ? t("Drop the video for lesson {number} here, or click to choose it", {
                number: target.number,
              })
            : t("Drop videos here, or click to choose them")}
      </b>
      <span className="small muted">
        {target && `${target.course_title}: ${target.title}. `}
        {replaced && `${replaced} `}
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
        onDrop={(event) => void drop(event)}
        onClick={(event) => {
          if (!canPick) return;
          event.preventDefault();
          void pick();
        }}
        onChange={({ target: input }) => {
          const files = [...(input.files ?? [])];
          input.value = ""; // the same file may be chosen again
          if (files.length > 0) onFiles(files);
        }}
      />
    </label>
  );
}
