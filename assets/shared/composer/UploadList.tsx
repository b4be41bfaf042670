import { t } from "../i18n";
import { Icon } from "../ui/Icon";
import { ProgressBar } from "../ui/ProgressBar";
import { messageOfTransfer } from "../uploads/messages";
import type { Attachments } from "./useAttachments";

/** The files that are being uploaded, and those that were refused. */
export function UploadList({ all, cancel }: Pick<Attachments, "all" | "cancel">) {
  if (all.length === 0) return null;
  return (
    <ul className="composer__uploads" aria-label={t("Uploads")}>
      {all.map((transfer) => {
        const { id, file, state, sent } = transfer;
        const isRefused = state === "refused";
        return (
          <li key={id} className="composer__upload">
            <Icon name={isRefused ? "circle-alert" : "image"} />
            <div className="grow">
              <p className="medium clip">{file.name}</p>
              <p className={isRefused ? "field__error" : "small faint num"}>
                {messageOfTransfer(transfer).main}
              </p>
              {!isRefused && (
                <ProgressBar
                  isThin
                  label={t("Upload of {name}", { name: file.name })}
                  percent={(100 * sent) / Math.max(1, file.size)}
                />
              )}
            </div>
            <button
              type="button"
              className="icon-btn icon-btn--sm"
              aria-label={t("Remove {name}", { name: file.name })}
              onClick={() => cancel(id)}
            >
              <Icon name="x" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
