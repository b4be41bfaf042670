import { percentOf, sizeHere } from "../../offline/controls/picking";
import { describeLesson, lookOf, nameOf, roughSize } from "../../offline/controls/words";
import type { OfflineLesson } from "../../offline/types";
import type { IconName } from "../../shared/iconNames";
import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import { ProgressBar } from "../../shared/ui/ProgressBar";
import type { Actions } from "./useActions";

type Props = {
  lesson: OfflineLesson;
  actions: Actions;
  isOnline: boolean;
  /** The one to continue with. */
  isCurrent: boolean;
};

/** A lesson with its state, its size and what can be done with it. */
export function LessonRow({ lesson, actions, isOnline, isCurrent }: Props) {
  const { icon, tone, spoken } = lookOf(lesson);
  const name = nameOf(lesson);
  const isPartial = ["downloading", "paused", "held"].includes(lesson.state);
  return (
    <li className={isCurrent ? "is-now" : undefined}>
      <Icon name={icon} className={tone} label={spoken} />
      <span className="kept__t">
        {lesson.state === "downloaded" ? <a href={lesson.url}>{name}</a> : name}
      </span>
      <span className="kept__acts">
        <span className="kept__size">
          {lesson.state === "waiting" ? (
            <span aria-hidden="true">–</span>
          ) : (
            lesson.state !== "ended" && roughSize(sizeHere(lesson))
          )}
        </span>
        <RowActions lesson={lesson} actions={actions} isOnline={isOnline} />
      </span>
      <span className="kept__meta">{describeLesson(lesson, isOnline)}</span>
      {isPartial && lesson.size > 0 && (
        <ProgressBar
          label={t("Download of {lesson}", { lesson: name })}
          percent={percentOf(lesson)}
          isThin
        />
      )}
    </li>
  );
}

type RowActionsProps = Omit<Props, "isCurrent">;

function RowActions({ lesson, actions, isOnline }: RowActionsProps) {
  const values = { lesson: nameOf(lesson) };
  const isBusy = actions.busy === lesson.uid;
  const renewal =
    lesson.size > lesson.received
      ? t("Renew, {size}", { size: roughSize(lesson.size - lesson.received) })
      : t("Renew");
  const press = (icon: IconName, label: string, run: () => void) => (
    <button
      className="icon-btn icon-btn--sm"
      type="button"
      aria-label={label}
      aria-busy={isBusy || undefined}
      onClick={run}
    >
      <Icon name={icon} />
    </button>
  );
  const stop = press("x", t("Cancel the download of {lesson}", values), () =>
    actions.cancel(lesson),
  );
  switch (lesson.state) {
    case "downloading":
    case "held":
      return (
        <>
          {press("pause", t("Pause the download of {lesson}", values), () => actions.pause(lesson))}
          {stop}
        </>
      );
    case "paused":
      return (
        <>
          {press("play", t("Resume the download of {lesson}", values), () =>
            actions.resume(lesson),
          )}
          {stop}
        </>
      );
    case "waiting":
      return stop;
    case "failed":
      return (
        <>
          <Button
            size="sm"
            isBusy={isBusy}
            aria-label={t("Try again to download {lesson}", values)}
            onClick={() => actions.retry(lesson)}
          >
            <Icon name="rotate-ccw" />
            {t("Try again")}
          </Button>
          {stop}
        </>
      );
    case "expired":
      return (
        <>
          <Button
            size="sm"
            isBusy={isBusy}
            disabled={!isOnline}
            aria-label={[renewal, nameOf(lesson)].join(": ")}
            onClick={() => actions.renew([lesson], lesson.uid)}
          >
            {renewal}
          </Button>
          {press("trash-2", t("Remove {lesson} from this device", values), () =>
            actions.remove([lesson], lesson.uid),
          )}
        </>
      );
    case "ended":
      return press("x", t("Dismiss {lesson}", values), () => actions.dismiss(lesson));
    case "downloaded":
      return press("trash-2", t("Remove {lesson} from this device", values), () =>
        actions.remove([lesson], lesson.uid),
      );
  }
}
