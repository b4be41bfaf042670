import { type ReactNode, useId } from "react";

import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { QueryPanel } from "../../shared/ui/QueryPanel";
import type { VideoLesson } from "./api";
import type { Limits } from "./checkFile";
import { DropZone } from "./DropZone";
import { JobCard } from "./JobCard";
import type { Group, Job } from "./jobs";
import { StorageMeter } from "./StorageMeter";
import type { Transfers } from "../../shared/uploads/transfers";
import type { Transport } from "../../shared/uploads/transport";
import { browserFiles, type FileStore } from "./useStoredFiles";
import { useUploads } from "./useUploads";

export type UploaderProps = {
  limits: Limits;
  /** The lesson in the address, which gets the first file. */
  target: VideoLesson | null;
  /** Addresses of actions of the error catalogue that exist on this site. */
  links: string[];
  /** The uid of the signed-in user. */
  user: string;
  transfers: Transfers;
  transport: Transport;
  files?: FileStore;
};

export function Uploader({
  limits,
  target,
  links,
  user,
  transfers,
  transport,
  files = browserFiles,
}: UploaderProps) {
  const uploads = useUploads(transfers, transport, limits, user, files);
  const { jobs, take } = uploads;
  const groups: [Group, string][] = [
    ["needs", t("Needs your attention")],
    ["way", t("In progress")],
    ["done", t("Done today")],
  ];
  const sending = jobs.filter(({ transfer }) => transfer?.state === "sending");

  return (
    <div className="wiz__grid">
      <div className="stack gap-7">
        <DropZone
          limits={limits}
          target={target}
          onFiles={(files) => void take(files, { target: target?.uid ?? null })}
        />
        <QueryPanel query={uploads.videos} shapes={<span className="skel uploader__skel" />}>
          {() =>
            groups.map(([group, title]) => (
              <Jobs
                key={group}
                title={title}
                jobs={jobs.filter((job) => job.group === group)}
                actions={
                  group === "way" &&
                  sending.length > 1 && (
                    <button
                      className="btn btn--quiet btn--sm"
                      type="button"
                      onClick={() =>
                        sending.forEach(({ transfer }) => transfer && transfers.pause(transfer.id))
                      }
                    >
                      <Icon name="pause" />
                      {t("Pause all")}
                    </button>
                  )
                }
                card={(job) => (
                  <JobCard
                    key={job.key}
                    job={job}
                    uploads={uploads}
                    transfers={transfers}
                    transport={transport}
                    links={links}
                  />
                )}
              />
            ))
          }
        </QueryPanel>
      </div>
      <aside className="wiz__aside stack gap-7" aria-label={t("Storage and tips")}>
        <StorageMeter query={uploads.storage} />
        <Advice />
      </aside>
    </div>
  );
}

type JobsProps = {
  title: string;
  jobs: Job[];
  actions: ReactNode;
  card: (job: Job) => ReactNode;
};

function Jobs({ title, jobs, actions, card }: JobsProps) {
  const id = useId();
  if (jobs.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <div className="sec-head uploader__head">
        <h2 className="h4" id={id}>
          {title} <span className="tabs__n">{jobs.length}</span>
        </h2>
        {actions}
      </div>
      <ul className="jobs">{jobs.map(card)}</ul>
    </section>
  );
}

function Advice() {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <div className="sec-head sec-head--fine">
        <h2 className="h5" id={id}>
          {t("What happens to your video")}
        </h2>
      </div>
      <ol className="numbered small">
        <li>{t("Uploading in pieces, so a lost connection doesn't matter")}</li>
        <li>{t("Analyzing the video and making thumbnails")}</li>
        <li>{t("Preparing audio and finding captions in the file")}</li>
        <li>{t("Finalizing: every quality from 1080p down, never higher than your original")}</li>
      </ol>
    </section>
  );
}
