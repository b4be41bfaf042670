/** What was asked and answered in an attempt, as HTML to read: for attempts that the server refused. */
import { t } from "../../shared/i18n";
import { type Answer, isAnswered } from "../../shared/questions/state";
import type { Question } from "../../shared/questions/types";

type Options = Question["options"];

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const htmlOf = (options: Options, id: string): string =>
  options.find((option) => option.id === id)?.html ?? "";

/** The lines of an answer; empty if the question was not answered. */
export function linesOf(question: Question, answer: Answer | undefined): string[] {
  if (!answer || !isAnswered(answer)) return [];
  const { kind, options, left, right } = question;
  switch (kind) {
    case "single":
      return [htmlOf(options, answer.id ?? "")];
    case "multiple":
    case "ordering":
      return (answer.ids ?? []).map((id) => htmlOf(options, id));
    case "truth":
      return [answer.value ? t("True") : t("False")];
    case "matching":
      return left.flatMap(({ id, html }) => {
        const partner = htmlOf(right, answer.pairs?.[id] ?? "");
        return partner ? [`${html} → ${partner}`] : [];
      });
    case "gaps":
      return [fillGaps(question, answer)];
    default:
      return [escaped([answer.text ?? "", question.unit].join(" ").trim())];
  }
}

/** The text with what was entered in its gaps. */
function fillGaps({ prompt_html: html, gaps }: Question, { gaps: given = {} }: Answer): string {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const place of body.querySelectorAll<HTMLElement>("[data-gap]")) {
    const number = place.dataset.gap ?? "";
    const options = gaps.find((gap) => gap.number === number)?.options ?? [];
    const entered = given[number] ?? "";
    const filled = document.createElement("strong");
    filled.innerHTML = htmlOf(options, entered) || escaped(entered) || "…";
    place.replaceWith(filled);
  }
  return body.innerHTML;
}
