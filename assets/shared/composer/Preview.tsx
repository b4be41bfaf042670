import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { t } from "../i18n";
import type { WritingPlace } from "./stores";

export const PAUSE_MS = 400;

type Props = { source: string; preview: WritingPlace["preview"] };

/** The text as it will be shown: the server renders it as it renders the page. */
export function Preview({ source, preview }: Props) {
  const [settled, setSettled] = useState(source);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(source), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [source]);
  const isBlank = settled.trim() === "";
  const { data, error } = useQuery({
    queryKey: ["preview", preview, settled],
    queryFn: ({ signal }) => preview(settled, signal),
    enabled: !isBlank,
    placeholderData: (before) => before,
    gcTime: 60_000,
  });
  if (isBlank) return <p className="muted">{t("Nothing to preview yet.")}</p>;
  if (error)
    return (
      <p className="muted" role="alert">
        {error.message}
      </p>
    );
  return data === undefined ? (
    <p className="muted">{t("Loading the preview")}</p>
  ) : (
    <Html html={data} />
  );
}

/** HTML that the server has sanitized. */
function Html({ html }: { html: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (place.current) place.current.innerHTML = html;
  }, [html]);
  return <div ref={place} className="composer__html" />;
}
