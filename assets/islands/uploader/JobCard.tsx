import { useId } from "react";

import { fillHref, lookup } from "../../shared/api/errors";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { type CardProps, JobActions } from "./JobActions";
import { canAssign, isFailed, type Job } from "./jobs";
import { LessonSelect } from "./LessonSelect";
import { RetryNote } from "../../shared/uploads/RetryNote";
import { Stages } from "./Stages";
import { factsOf, messageOf } from "./messages";
import type { Obstacle } from "./useStoredFiles";

export function JobCard(props: CardProps) {
  const { job, uploads, transfers, links } = props;
  const { transfer, video } = job;
  const name = useId();
  const message = messageOf(job);
  const isDone = job.group === "done";
  const isSent = transfer === null || transfer.state === "sent";
  const isBad = isFailed(job);
  const isHeld = job.group === "needs" && !isBad && video?.stage !== "complete";
  const notice = isSent && video ? video.notice : "";
  const tone = isBad ? " job--bad" : isHeld ? " job--warn" : "";
  const isAssignable = canAssign(job);
  const decision = job.isReplacing ? null : (job.lesson?.decide_href ?? null);
  const obstacle =
    transfer === null && video?.stage === "uploading"
      ? uploads.storedFiles.obstacleOf(video)
      : null;
  const more = links.length > 0 && transfer?.state === "refused" ? actionOf(job, links) : null;

  return (
    <li className={`job${tone}`} aria-labelledby={name}>
      <div>
        <h3 className="job__name" id={name}>
          {job.name}
        </h3>
        <p className="small faint num">{factsOf(job)}</p>
      </div>
      <JobActions {...props} />
      <Stages job={job} />
      <div className="job__say">
        <span className={isDone ? "field__ok" : undefined}>
          {isBad && <Icon name="circle-alert" />}
          {isHeld && <Icon name="wifi-off" />}
          {isDone && <Icon name="circle-check" />}
          {message.main}
        </span>
        {transfer?.state === "interrupted" ? (
          <RetryNote transfer={transfer} transfers={transfers} />
        ) : (
          message.aside !== "" && <span>{message.aside}</span>
        )}
      </div>
      {notice !== "" && (
        <p className="job__more job__notice">
          <Icon name="triangle-alert" />
          <span>{notice}</span>
        </p>
      )}
      {decision && (
        <p className="job__more job__notice">
          <Icon name="clock" />
          <span>
            {t("It has another length than the published video.")}{" "}
            <a className="link" href={decision}>
              {t("Choose what counts of what learners have watched")}
            </a>
          </span>
        </p>
      )}
      {(isAssignable || more !== null || obstacle !== null) && (
        <div className="job__more">
          {obstacle && <p className="small muted">{howToContinue(obstacle)}</p>}
          {more && (
            <p className="small muted">
              <a className="link" href={more.href}>
                {more.label}
              </a>
            </p>
          )}
          {isAssignable && (
            <LessonSelect
              job={job}
              lessons={uploads.editableLessons}
              proposal={uploads.proposals.get(job.key) ?? null}
              onChange={uploads.refresh}
              onDecline={(lesson) => uploads.decline(job, lesson)}
              transfers={transfers}
            />
          )}
        </div>
      )}
    </li>
  );
}

function howToContinue(obstacle: Obstacle): string {
  switch (obstacle) {
    case "ask":
      return t("Your browser asks before it reads the file again.");
    case "changed":
      return t("The file has changed since its upload began. Choose the original to resume.");
    case "gone":
      return t("The file was moved, renamed or deleted. Choose it again to resume.");
  }
}

/** The action of the error catalogue for a rejected upload, if its page exists on this site. */
function actionOf({ transfer }: Job, links: string[]): { label: string; href: string } | null {
  const problem = transfer?.error?.problem;
  const action = problem ? lookup(problem.code).action : null;
  const href = action ? fillHref(action.href, problem?.params ?? {}) : null;
  return action && href && links.includes(href) ? { label: action.label, href } : null;
}
