import { t } from "../../shared/i18n";
import { Button } from "../../shared/ui/Button";
import { Icon } from "../../shared/ui/Icon";
import type { VideoLesson } from "./api";
import type { Job } from "./jobs";
import { whatHappens } from "./ReplaceDialog";

type Props = {
  job: Job;
  lesson: VideoLesson;
  isBusy: boolean;
  onYes: () => void;
  onNo: () => void;
};

/** Says that the name of a file is that of a lesson with a video, and lets the user replace that. */
export function ReplaceProposal({ job, lesson, isBusy, onYes, onNo }: Props) {
  return (
    <div className="uploader__proposal">
      <Icon name="refresh-cw" />
      <p>
        <b>{t("By its name, it is for lesson {number}.", { number: lesson.number })}</b>{" "}
        {whatHappens(job, lesson)}
      </p>
      <div className="row row--tight">
        <Button size="sm" isBusy={isBusy} onClick={onYes}>
          {t("Replace the video")}
        </Button>
        <Button size="sm" look="quiet" onClick={onNo}>
          {t("Don't replace it")}
        </Button>
      </div>
    </div>
  );
}
