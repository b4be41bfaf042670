import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { announce } from "../../shared/announce";
import { bytes, longDate } from "../../shared/format";
import { t } from "../../shared/i18n";
import { Dialog } from "../../shared/ui/Dialog";
import { Icon } from "../../shared/ui/Icon";
import { QueryPanel } from "../../shared/ui/QueryPanel";
import { detailQuery, type FileDetail, type FileItem } from "./api";
import { iconOf } from "./kinds";

type Props = {
  file: FileItem;
  /** Its place among the files that are listed, from 1, and their number. */
  number: number;
  count: number;
  previous: FileItem | undefined;
  next: FileItem | undefined;
  onShow: (file: FileItem) => void;
  onClose: () => void;
};

/** A file in a dialog. The arrow keys lead to the files before and after it. */
export function PreviewDialog({ file, number, count, previous, next, onShow, onClose }: Props) {
  const query = useQuery(detailQuery(file.uid));
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isUsed = event.target instanceof Element && event.target.closest("audio, video, pre");
      if (isUsed || event.altKey || event.ctrlKey || event.metaKey) return;
      const wanted = { ArrowLeft: previous, ArrowRight: next }[event.key];
      if (!wanted) return;
      event.preventDefault();
      onShow(wanted);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [previous, next, onShow]);

  const { name, kind_label, size, modified_at, download_url, url } = file;
  useEffect(() => {
    announce(t("{name}, {number} of {count}", { name, number, count }));
    // eslint-disable-next-line react-hooks/exhaustive-deps -- said once for each file
  }, [file.uid]);

  const step = (
    to: FileItem | undefined,
    label: string,
    icon: "chevron-left" | "chevron-right",
  ) => (
    <button
      className="icon-btn"
      type="button"
      aria-label={label}
      disabled={!to}
      onClick={() => to && onShow(to)}
    >
      <Icon name={icon} />
    </button>
  );
  return (
    <Dialog
      title={name}
      className="dialog--preview"
      onClose={onClose}
      actions={
        <>
          <p className="preview__facts small muted num">
            {t("{kind}, {size}, {date}", {
              kind: kind_label,
              size: bytes(size),
              date: longDate(modified_at),
            })}
          </p>
          <div className="row row--tight">
            {step(previous, t("Previous file"), "chevron-left")}
            <span className="small muted num">{t("{number} of {count}", { number, count })}</span>
            {step(next, t("Next file"), "chevron-right")}
          </div>
          <div className="row row--tight">
            <a className="btn" href={url}>
              {t("Details and versions")}
            </a>
            <a className="btn btn--primary" href={download_url} download={name}>
              <Icon name="download" />
              {t("Download")}
            </a>
          </div>
        </>
      }
    >
      <div className="preview__stage" key={file.uid}>
        <QueryPanel query={query} shapes={<span className="skel preview__skel" />}>
          {(detail) => <Preview file={detail} />}
        </QueryPanel>
      </div>
    </Dialog>
  );
}

function Preview({ file }: { file: FileDetail }) {
  const { name, preview } = file;
  const [isBroken, setBroken] = useState(false);
  const fail = (): void => setBroken(true);
  const url = preview.url ?? "";
  if (isBroken || preview.kind === "none")
    return (
      <div className="files__none">
        <Icon name={iconOf(file.kind)} />
        <p>
          {isBroken
            ? t("This file can't be shown here. Download it to open it.")
            : t("This type of file has no preview.")}
        </p>
      </div>
    );
  if (preview.kind === "image")
    return <img src={url} alt={t("Preview of {name}", { name })} onError={fail} />;
  if (preview.kind === "pdf") return <iframe src={url} title={name} />;
  // What a user has uploaded comes without captions.
  /* eslint-disable jsx-a11y/media-has-caption */
  if (preview.kind === "audio")
    return <audio controls preload="metadata" src={url} onError={fail} />;
  if (preview.kind === "video")
    return <video controls preload="metadata" src={url} onError={fail} />;
  /* eslint-enable jsx-a11y/media-has-caption */
  return (
    <div className="preview__text">
      {/* Sanitized by the server. */}
      <div dangerouslySetInnerHTML={{ __html: preview.html ?? "" }} />
      {preview.is_cut && (
        <p className="small muted">
          {t("Only the beginning is shown. Download the file to see all of it.")}
        </p>
      )}
    </div>
  );
}
