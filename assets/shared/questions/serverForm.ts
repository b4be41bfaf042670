/** Reads answers from the fields that templates/learning/_quiz.html shows before an island is loaded. */
import type { Answer } from "./state";
import type { Question } from "./types";

/** The answer to a question in a form; null without one. */
export function answerIn(
  given: FormData,
  { uid, kind, options, left, gaps }: Question,
): Answer | null {
  const name = `q.${uid}`;
  const textOf = (value: FormDataEntryValue | null): string =>
    typeof value === "string" ? value : "";
  const values = given.getAll(name).map(textOf);
  const [first] = values;
  const parts = (of: readonly { id: string }[]): [string, string][] =>
    of.map(({ id }) => [id, textOf(given.get(`${name}.${id}`))]);
  switch (kind) {
    case "single":
      return first ? { id: first } : null;
    case "multiple":
      return first ? { ids: values } : null;
    case "truth":
      return first ? { value: first === "true" } : null;
    case "ordering": {
      const steps = parts(options).sort(([, a], [, b]) => Number(a) - Number(b));
      const isWhole = steps.every(([, place], index) => Number(place) === index + 1);
      return isWhole ? { ids: steps.map(([id]) => id) } : null;
    }
    case "matching": {
      const pairs = parts(left).filter(([, partner]) => partner !== "");
      return pairs.length > 0 ? { pairs: Object.fromEntries(pairs) } : null;
    }
    case "gaps": {
      const fields = parts(gaps.map(({ number: id }) => ({ id }))).filter(([, value]) => value);
      return fields.length > 0 ? { gaps: Object.fromEntries(fields) } : null;
    }
    default:
      return first ? { text: first } : null;
  }
}
