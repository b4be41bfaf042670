import { clock } from "../format";
import { t, tn } from "../i18n";
import { Icon } from "../ui/Icon";
import type { QuestionResult } from "./types";
import { LETTERS } from "./Choices";
import { Ask, Html } from "./Html";

type Props = { question: QuestionResult; number: number; total: number };

/** One question after submission: the answer, the correct one if it may be shown, the explanation and where to review. */
export function ResultCard({ question, number, total }: Props) {
  const { remarks_html: remarks, explanation_html: explanation, rewatch } = question;
  return (
    <section className="question" id={`r${number}`} aria-labelledby={`r${number}h`}>
      <div className="question__head">
        <span className="num">{t("Question {number} of {total}", { number, total })}</span>
        <Verdict question={question} />
      </div>
      {question.kind === "gaps" ? (
        <h3 className="question__ask" id={`r${number}h`}>
          {t("Fill in the gaps.")}
        </h3>
      ) : (
        <Ask html={question.prompt_html} id={`r${number}h`} level="h3" />
      )}
      <Lines question={question} />
      {(remarks.length > 0 || explanation || rewatch) && (
        <div className={["wrong", "partly"].includes(question.verdict) ? "why why--no" : "why"}>
          {remarks.map((remark) => (
            <div key={remark}>
              <Html html={remark} />
            </div>
          ))}
          {explanation && (
            <div>
              <Html html={explanation} />
            </div>
          )}
          {rewatch && (
            <p>
              <a className="link" href={rewatch.url}>
                {rewatch.at
                  ? t("Watch again from {time} in lesson {number}", {
                      time: clock(rewatch.at),
                      number: rewatch.number,
                    })
                  : t("Go back to lesson {number}, {title}", {
                      number: rewatch.number,
                      title: rewatch.title,
                    })}
              </a>
            </p>
          )}
        </div>
      )}
    </section>
  );
}

function Verdict({ question }: { question: QuestionResult }) {
  const { kind, verdict, earned, points } = question;
  // An essay is not correct or incorrect: its marker gave it points.
  const marked = kind === "essay" && {
    icon: "pen-line" as const,
    words: tn("{earned} of {count} point", "{earned} of {count} points", points, { earned }),
  };
  const looks = {
    waiting: {
      tone: " badge--info",
      icon: "hourglass",
      words: t("Waiting for a mark, up to {points}", { points }),
    },
    right: {
      tone: " badge--ok",
      icon: "check",
      words: t("Correct, {earned} of {points}", { earned, points }),
      ...marked,
    },
    partly: {
      tone: " badge--warn",
      icon: "x",
      words: t("Partly correct, {earned} of {points}", { earned, points }),
      ...marked,
    },
    wrong: {
      tone: " badge--error",
      icon: "x",
      words: t("Incorrect, 0 of {points}", { points }),
      ...marked,
    },
    open: { tone: "", icon: "minus", words: t("Not answered, 0 of {points}", { points }) },
  } as const;
  const { tone, icon, words } = looks[verdict];
  return (
    <span className={`badge${tone}`}>
      <Icon name={icon} />
      {words}
    </span>
  );
}

function Lines({ question }: { question: QuestionResult }) {
  switch (question.kind) {
    case "single":
    case "multiple":
      return <ChoiceLines question={question} />;
    case "ordering":
      // Unanswered, and the correct order is hidden: there is nothing to list.
      return question.lines.length ? (
        <OrderLines question={question} />
      ) : (
        <Said question={question} />
      );
    case "matching":
      return <MatchLines question={question} />;
    case "gaps":
      return <GapLines question={question} />;
    case "essay":
      return <Essay question={question} />;
    default:
      return <Said question={question} />;
  }
}

function ChoiceLines({ question }: { question: QuestionResult }) {
  return (
    <div className="answers">
      {question.lines.map((line, place) => (
        <div
          key={line.html}
          className={[
            "answer",
            line.is_right && "answer--reveal",
            line.is_chosen && line.is_right === false && "answer--wrong",
            line.is_chosen && line.is_right === null && "answer--mine",
          ]
            .filter(Boolean)
            .join(" ")}
        >
          <span className="answer__box">
            <kbd aria-hidden="true">{LETTERS[place]}</kbd>
            <span>
              <Html html={line.html} />
              {line.is_right && <span className="vh"> {t("correct answer")}</span>}
              {line.is_chosen && <span className="small faint"> {t("your answer")}</span>}
            </span>
            {line.is_right && <Icon name="check" />}
            {line.is_chosen && line.is_right === false && <Icon name="x" label={t("incorrect")} />}
          </span>
        </div>
      ))}
    </div>
  );
}

function OrderLines({ question }: { question: QuestionResult }) {
  return (
    <ol className="order order--result">
      {question.lines.map((line, place) => (
        <li key={line.html} className={line.is_chosen ? mark(line) : undefined}>
          <span className="order__n">{place + 1}</span>
          <span>
            <Html html={line.html} />
            {line.is_chosen && line.is_right === false && (
              <span className="small block">
                {t("belongs in place {place}", { place: line.place ?? 0 })}
              </span>
            )}
          </span>
          {line.is_chosen && line.is_right !== null && (
            <Icon
              name={line.is_right ? "check" : "x"}
              label={line.is_right ? t("In the right place") : t("In the wrong place")}
            />
          )}
        </li>
      ))}
    </ol>
  );
}

function MatchLines({ question }: { question: QuestionResult }) {
  return (
    <ul className="order order--result order--pairs">
      {question.lines.map((line) => (
        <li key={line.html} className={line.is_chosen || line.is_right ? mark(line) : undefined}>
          <span>
            <b className="medium">
              <Html html={line.html} />
            </b>
            <span className="block">
              {line.is_chosen ? <Html html={line.chosen_html} /> : t("not answered")}
            </span>
            {line.is_right === false && line.right_html && (
              <span className="small block">
                {t("correct:")} <Html html={line.right_html} />
              </span>
            )}
          </span>
          {line.is_chosen && line.is_right !== null && (
            <Icon
              name={line.is_right ? "check" : "x"}
              label={line.is_right ? t("Correct match") : t("Wrong match")}
            />
          )}
        </li>
      ))}
    </ul>
  );
}

/** The text with the answers in their places, and a line for each gap. */
function GapLines({ question }: { question: QuestionResult }) {
  return (
    <>
      <div className="gaps prose" dangerouslySetInnerHTML={{ __html: question.prompt_html }} />
      <ol className="order order--result">
        {question.lines.map((line, place) => (
          <li key={line.html} className={line.is_chosen || line.is_right ? mark(line) : undefined}>
            <span className="order__n">{place + 1}</span>
            <span>
              <span className="vh">{line.html}: </span>
              {line.is_chosen ? <Html html={line.chosen_html} /> : t("not answered")}
              {line.is_right === false && line.right_html && (
                <span className="small block">
                  {t("correct:")} <Html html={line.right_html} />
                </span>
              )}
            </span>
            {line.is_chosen && line.is_right !== null && (
              <Icon
                name={line.is_right ? "check" : "x"}
                label={line.is_right ? t("Correct") : t("Incorrect")}
              />
            )}
          </li>
        ))}
      </ol>
    </>
  );
}

function Essay({ question: { given, comment, verdict } }: { question: QuestionResult }) {
  return (
    <>
      {given ? (
        <div className="essay">{given}</div>
      ) : (
        <p className="muted">
          {verdict === "open" ? t("You didn't answer this.") : t("This answer was erased.")}
        </p>
      )}
      {comment && (
        <div className="essay__comment">
          <span className="small faint">{t("Comment by your instructor")}</span>
          <span>{comment}</span>
        </div>
      )}
    </>
  );
}

function Said({ question: { kind, verdict, given, accepted } }: { question: QuestionResult }) {
  const look = verdict === "right" ? " answer--reveal" : given ? " answer--wrong" : "";
  return (
    <div className={`answer${look}`}>
      <span className="answer__box">
        <span>
          {!given && t("You didn't answer this.")}
          {given &&
            (kind === "text"
              ? t("You answered “{given}”.", { given })
              : t("You answered {given}.", { given }))}
          {!["", given, `“${given}”`].includes(accepted) && (
            <> {t("Correct answer: {accepted}", { accepted })}</>
          )}
        </span>
        {verdict === "right" && <Icon name="check" label={t("Correct")} />}
        {verdict !== "right" && given && <Icon name="x" label={t("Incorrect")} />}
      </span>
    </div>
  );
}

/** The class of a line; none while its correctness is hidden. */
function mark({ is_right: isRight }: QuestionResult["lines"][number]): string | undefined {
  if (isRight === null) return undefined;
  return isRight ? "is-right" : "is-wrong";
}
