import { linesOf } from "../../offline/controls/answers";
import type { WaitingChange } from "../../offline/types";
import { t } from "../../shared/i18n";
import { Html } from "../../shared/questions/Html";
import type { Question } from "../../shared/questions/types";
import { Dialog } from "../../shared/ui/Dialog";

type Props = {
  refused: WaitingChange;
  name: string;
  onRemove: () => void;
  onClose: () => void;
};

/** What was asked and answered in an attempt that the server refused, and why. It is nowhere else. */
export function AnswersDialog({ refused, name, onRemove, onClose }: Props) {
  const { asked = [], change, refusal } = refused;
  const answers = change.attempt?.answers ?? {};
  return (
    <Dialog
      title={t("Your answers to {quiz}", { quiz: name })}
      onClose={onClose}
      className="refused"
      actions={
        <>
          <button className="btn btn--quiet" type="button" onClick={onClose}>
            {t("Close")}
          </button>
          <button className="btn btn--danger" type="button" onClick={onRemove}>
            {t("Remove answers")}
          </button>
        </>
      }
    >
      <p>{refusal?.message}</p>
      <div
        className="refused__scroll mt-4"
        tabIndex={0}
        role="region"
        aria-label={t("Questions and answers")}
      >
        <ol className="refused__list">
          {asked.map((question) => (
            <li key={question.uid}>
              {question.kind !== "gaps" && (
                <div className="refused__ask">
                  <Html html={question.prompt_html} />
                </div>
              )}
              <Given lines={linesOf(question, answers[question.uid])} kind={question.kind} />
            </li>
          ))}
        </ol>
      </div>
    </Dialog>
  );
}

function Given({ lines, kind }: { lines: readonly string[]; kind: Question["kind"] }) {
  const [first] = lines;
  if (first === undefined) return <p className="small faint">{t("Not answered")}</p>;
  if (lines.length === 1 || kind === "single")
    return (
      <div className="refused__given">
        <Html html={first} />
      </div>
    );
  const List = kind === "ordering" ? "ol" : "ul";
  return (
    <List className="refused__given">
      {lines.map((line) => (
        <li key={line}>
          <Html html={line} />
        </li>
      ))}
    </List>
  );
}
