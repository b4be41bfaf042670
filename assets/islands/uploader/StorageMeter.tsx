import type { UseQueryResult } from "@tanstack/react-query";
import { type CSSProperties, useId } from "react";

import { bytes } from "../../shared/format";
import { t } from "../../shared/i18n";
import { QueryPanel } from "../../shared/ui/QueryPanel";
import type { Storage } from "./api";

export function StorageMeter({ query }: { query: UseQueryResult<Storage> }) {
  return (
    <QueryPanel query={query} shapes={<span className="skel uploader__skel" />}>
      {(storage) => <Meter storage={storage} />}
    </QueryPanel>
  );
}

function Meter({ storage }: { storage: Storage }) {
  const id = useId();
  const part = (size: number, color: string): CSSProperties =>
    ({ "--v": (100 * size) / storage.allowance, "--k": `var(--chart-${color})` }) as CSSProperties;
  const facts = {
    total: bytes(storage.allowance),
    videos: bytes(storage.videos),
    files: bytes(storage.files),
    held: bytes(storage.held),
    free: bytes(storage.free),
  };
  return (
    <section aria-labelledby={id} id="storage">
      <div className="sec-head sec-head--fine">
        <h2 className="h5" id={id}>
          {t("{free} free of {total}", facts)}
        </h2>
      </div>
      <div className="meter">
        <div
          className="meter__bar"
          role="img"
          aria-label={t(
            "Of {total}: videos {videos}, files {files}, reserved for uploads {held}, free {free}",
            facts,
          )}
        >
          <i style={part(storage.videos, "1")} />
          <i style={part(storage.files, "3")} />
          <i className="held" style={part(storage.held, "4")} />
        </div>
        <dl className="kv small">
          <dt>{t("Videos")}</dt>
          <dd>{facts.videos}</dd>
          <dt>{t("Files")}</dt>
          <dd>{facts.files}</dd>
          <dt>{t("Reserved for uploads")}</dt>
          <dd>{facts.held}</dd>
          <dt className="sum">{t("Free")}</dt>
          <dd className="sum">{facts.free}</dd>
        </dl>
      </div>
    </section>
  );
}
