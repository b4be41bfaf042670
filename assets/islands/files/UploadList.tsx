import type { IconName } from "../../shared/iconNames";
import { t, tn } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { ProgressBar } from "../../shared/ui/ProgressBar";
import { messageOfTransfer } from "../../shared/uploads/messages";
import { RetryNote } from "../../shared/uploads/RetryNote";
import type { Transfer, Transfers } from "../../shared/uploads/transfers";

const MOST_SHOWN = 20;

/** The uploads that are not finished. */
export function UploadList({ all, transfers }: { all: readonly Transfer[]; transfers: Transfers }) {
  const waiting = all.filter(({ state }) => state !== "sent");
  if (waiting.length === 0) return null;
  const done = all.length - waiting.length;
  const more = waiting.length - MOST_SHOWN;
  return (
    <section className="mt-6" aria-labelledby="uploads-h">
      <h2 className="small muted num" id="uploads-h">
        {t("Uploading, {number} of {count}", {
          number: Math.min(done + 1, all.length),
          count: all.length,
        })}
      </h2>
      <ul className="jobs mt-2">
        {waiting.slice(0, MOST_SHOWN).map((transfer) => (
          <Upload key={transfer.id} transfer={transfer} transfers={transfers} />
        ))}
      </ul>
      {more > 0 && (
        <p className="small muted mt-2">
          {tn("{count} more file is waiting.", "{count} more files are waiting.", more)}
        </p>
      )}
    </section>
  );
}

function Upload({ transfer, transfers }: { transfer: Transfer; transfers: Transfers }) {
  const { file, id, state, sent, error } = transfer;
  const { name } = file;
  const isBad = state === "refused";
  const isHeld = state === "interrupted" || state === "paused";
  const { main, aside } = messageOfTransfer(transfer);
  return (
    <li className={`job${isBad ? " job--bad" : state === "interrupted" ? " job--warn" : ""}`}>
      <div>
        <h3 className="job__name">{name}</h3>
        {!isBad && !isHeld && (
          <p className="small faint num">{[main, aside].filter(Boolean).join(", ")}</p>
        )}
      </div>
      <div className="job__acts">
        {(state === "sending" || state === "waiting") && (
          <Press
            icon="pause"
            label={t("Pause {name}", { name })}
            onPress={() => transfers.pause(id)}
          />
        )}
        {isHeld && (
          <button
            className="btn btn--sm"
            type="button"
            aria-label={t("Resume {name}", { name })}
            onClick={() => transfers.resume(id)}
          >
            <Icon name="play" />
            {t("Resume")}
          </button>
        )}
        <Press
          icon="x"
          label={isBad ? t("Dismiss {name}", { name }) : t("Cancel {name}", { name })}
          onPress={() => void transfers.cancel(id).catch(() => transfers.forget(id))}
        />
      </div>
      {!isBad && (
        <div className="job__more">
          <ProgressBar
            label={t("Upload of {name}", { name })}
            percent={file.size > 0 ? (100 * sent) / file.size : 0}
            isThin
          />
        </div>
      )}
      {(isBad || isHeld) && (
        <div className="job__say" role={isBad ? "alert" : undefined}>
          <span>
            {state !== "paused" && <Icon name={isBad ? "circle-alert" : "wifi-off"} />}
            {isBad ? (error?.message ?? "") : main}
          </span>
          {state === "interrupted" ? (
            <RetryNote transfer={transfer} transfers={transfers} />
          ) : (
            !isBad && aside !== "" && <span>{aside}</span>
          )}
        </div>
      )}
    </li>
  );
}

type PressProps = { icon: IconName; label: string; onPress: () => void };

function Press({ icon, label, onPress }: PressProps) {
  return (
    <button className="icon-btn icon-btn--sm" type="button" aria-label={label} onClick={onPress}>
      <Icon name={icon} />
    </button>
  );
}
