import { Choices } from "./Choices";
import { EssayField, Matching, NumberField, TextField } from "./Fields";
import { Gaps } from "./Gaps";
import { Ordering } from "./Ordering";
import type { Answer } from "./state";
import type { Question } from "./types";

type Props = {
  question: Question;
  answer: Answer | undefined;
  onAnswer: (answer: Answer) => void;
  /** The id of the element that asks. */
  heading: string;
};

/** What the answer to a question is given in. */
export function AnswerField({ heading, ...props }: Props) {
  switch (props.question.kind) {
    case "single":
    case "multiple":
    case "truth":
      return <Choices {...props} heading={heading} />;
    case "numeric":
      return <NumberField {...props} />;
    case "text":
      return <TextField {...props} />;
    case "essay":
      return <EssayField {...props} />;
    case "ordering":
      return <Ordering {...props} />;
    case "matching":
      return <Matching {...props} />;
    case "gaps":
      return <Gaps {...props} heading={heading} />;
  }
}
