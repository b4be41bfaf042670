import type { ContentProps } from "../../shared/composer/coursePlace";
import { t } from "../../shared/i18n";
import { type Choice, ContentField, Inside, Status, TextField, useField } from "./CourseForm";
import { Outcomes } from "./Outcomes";
import { Prerequisites } from "./Prerequisites";
import { Tip } from "./Tip";

export const SUMMARY_LENGTH = 40;

type Props = {
  description: ContentProps;
  beforeYouBegin: ContentProps;
  prerequisites: readonly Choice[];
  maxOutcomes: number;
};

/** What learners read before they enroll. */
export function Details({ description, beforeYouBegin, prerequisites, maxOutcomes }: Props) {
  const summary = useField("summary");
  const outcomes = useField("outcomes");
  const isShort = summary.text.trim().length < SUMMARY_LENGTH;
  return (
    <>
      <TextField
        name="summary"
        label={t("One-sentence summary")}
        most={220}
        hint={
          isShort
            ? t("What changes for the learner? Review requires at least {count} characters.", {
                count: SUMMARY_LENGTH,
              })
            : ""
        }
      />
      <ContentField
        name="description"
        label={t("Description")}
        content={description}
        rows={8}
        tip={t(
          "Explain what the course covers, how it is taught and why it matters. The first two sentences decide whether people read on.",
        )}
        about={t("About descriptions")}
      />
      <section className="wiz__sec wizard__part" aria-labelledby="wizard-outcomes-title">
        <header>
          <div className="tips">
            <h3 className="h4 inline" id="wizard-outcomes-title">
              {t("Learning outcomes")}
            </h3>{" "}
            <Tip
              label={t("About learning outcomes")}
              text={t(
                "Write one skill per line, starting with a verb: “Solve…”, “Explain…”, “Build…”. They appear on the course page under “What you'll be able to do”.",
              )}
            />
          </div>
          <p>{t("Finish this sentence: “By the end, you will be able to…”")}</p>
        </header>
        <Inside name="outcomes">
          <div className="stack gap-4">
            <Outcomes
              lines={Array.isArray(outcomes.value) ? (outcomes.value as string[]) : []}
              most={maxOutcomes}
              isDisabled={outcomes.isLocked}
              describedBy={outcomes.isWrong ? "wizard-outcomes-e" : undefined}
              onChange={outcomes.set}
            />
            <Status name="outcomes" show={(value) => (value as string[]).join("\n")} />
          </div>
        </Inside>
      </section>
      <section className="wiz__sec wizard__part" aria-labelledby="wizard-before-title">
        <header>
          <h3 className="h4" id="wizard-before-title">
            {t("Before learners begin")}
          </h3>
        </header>
        <Prerequisites choices={prerequisites} />
        <ContentField
          name="before_you_begin"
          label={t("What learners need to know or have")}
          content={beforeYouBegin}
          rows={4}
        />
      </section>
    </>
  );
}
