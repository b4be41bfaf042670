import { t } from "../../shared/i18n";
import {
  type Choice,
  type ChoiceWithHint,
  ChoiceField,
  labelIn,
  SelectField,
  TextField,
  useField,
} from "./CourseForm";

export const TITLE_LENGTH = 120;
export const titleTip = (): string =>
  t(
    "Say what learners will be able to do, in words they would search for. The title appears on course cards, in search and on certificates.",
  );
export const categoryTip = (): string =>
  t(
    "Choose the field in which learners would look for the course. The catalog is filtered by category, and similar courses are suggested from it.",
  );

type Props = {
  subjects: readonly Choice[];
  difficulties: readonly ChoiceWithHint[];
  languages: readonly Choice[];
};

/** What the course is called, and where people find it. */
export function Basics({ subjects, difficulties, languages }: Props) {
  const difficulty = useField("difficulty");
  return (
    <>
      <TextField
        name="title"
        label={t("Title")}
        most={TITLE_LENGTH}
        className="input--title"
        tip={titleTip()}
        about={t("About titles")}
        hint={t("Titles of up to 60 characters fit best on a course card.")}
      />
      <SelectField
        name="subject"
        label={t("Category")}
        choices={subjects}
        tip={categoryTip()}
        about={t("About categories")}
      />
      <ChoiceField
        name="difficulty"
        label={t("Difficulty")}
        choices={difficulties}
        chosen={difficulty.text}
        onChoose={difficulty.set}
        show={(value) => labelIn(difficulties, value)}
        hasLevels
      />
      <SelectField name="language" label={t("Language")} choices={languages} />
    </>
  );
}
