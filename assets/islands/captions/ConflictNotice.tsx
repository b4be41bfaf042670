import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import type { Conflict } from "./sheet";
import { formatTime } from "./time";

/** What another author did to a cue that was changed here, too: its author decides. */
export function ConflictNotice({
  conflict,
  language = "",
  onResolve,
}: {
  conflict: Conflict;
  /** Its name, if the caption stands beside one of another language. */
  language?: string | undefined;
  onResolve: (choice: "mine" | "theirs") => void;
}) {
  const { theirs, by, isDeleted } = conflict;
  const author = by === "" ? t("Another author") : by;
  return (
    <div className="notice notice--warning cue__conflict" role="group">
      <Icon name="triangle-alert" className="notice__icon" />
      {language !== "" && <p className="notice__title">{language}</p>}
      <p className="notice__body">
        {theirs.state === "removed"
          ? t("{author} has deleted this caption.", { author })
          : isDeleted
            ? t("You have deleted this caption, but {author} has changed it.", { author })
            : t("{author} has changed this caption, too: “{text}”, {begin} to {end}.", {
                author,
                text: theirs.text,
                begin: formatTime(theirs.begin),
                end: formatTime(theirs.end),
              })}
      </p>
      <div className="notice__acts">
        <button className="btn btn--sm" type="button" onClick={() => onResolve("mine")}>
          {isDeleted ? t("Delete it anyway") : t("Keep mine")}
        </button>
        <button className="btn btn--sm" type="button" onClick={() => onResolve("theirs")}>
          {isDeleted ? t("Keep it") : t("Take the other")}
        </button>
      </div>
    </div>
  );
}
