import { t } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import { Icon } from "../../shared/ui/Icon";
import type { Item, Kind } from "./items";

const icons: Record<Kind, IconName> = {
  transcript: "scroll-text",
  note: "pencil",
  moment: "bookmark",
  chapter: "list",
  question: "message-circle-question-mark",
};
const kinds: Kind[] = ["transcript", "note", "moment", "chapter", "question"];

function nameOf(kind: Kind): string {
  switch (kind) {
    case "transcript":
      return t("Transcript");
    case "note":
      return t("Notes");
    case "moment":
      return t("Moments");
    case "chapter":
      return t("Chapters");
    case "question":
      return t("Questions");
  }
}

type Props = {
  items: readonly Item[];
  kind: Kind | "all";
  onKind: (kind: Kind | "all") => void;
  query: string;
  onQuery: (query: string) => void;
};

/** Which kinds the timeline shows, and a search in all of them. */
export function Filters({ items, kind, onKind, query, onQuery }: Props) {
  const count = (one: Kind): number => items.filter((item) => item.kind === one).length;
  // Notes and moments can be added here, so they are offered when there are none too.
  const offered = kinds.filter((one) => one === "note" || one === "moment" || count(one) > 0);
  return (
    <>
      <div className="lane" role="group" aria-label={t("Show")}>
        <button
          className="chip"
          type="button"
          aria-pressed={kind === "all"}
          onClick={() => onKind("all")}
        >
          {t("All")}
        </button>
        {offered.map((one) => (
          <button
            className="chip"
            type="button"
            key={one}
            aria-pressed={kind === one}
            aria-label={`${nameOf(one)} ${one === "transcript" ? "" : count(one)}`.trim()}
            title={nameOf(one)}
            onClick={() => onKind(kind === one ? "all" : one)}
          >
            <Icon name={icons[one]} />
            {(one === "transcript" || one === "note") && (
              <span className={`lane__${one}`}>{nameOf(one)}</span>
            )}{" "}
            {one !== "transcript" && count(one) > 0 && <span className="num">{count(one)}</span>}
          </button>
        ))}
      </div>
      <label className="line__find">
        <span className="vh">{t("Search the timeline")}</span>
        <Icon name="search" />
        <input
          type="search"
          value={query}
          placeholder={t("Search the transcript and your notes")}
          onChange={({ target }) => onQuery(target.value)}
        />
      </label>
    </>
  );
}
