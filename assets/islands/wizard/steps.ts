/** The steps of the wizard and what each of them still needs. */
import { t, tn } from "../../shared/i18n";
import type { Field } from "../../shared/saving/saveQueue";
import type { Check } from "./api";

export const stepNames = ["basics", "details", "curriculum", "media", "price", "review"] as const;
export type StepName = (typeof stepNames)[number];

export function labelOf(step: StepName): string {
  const labels: Record<StepName, () => string> = {
    basics: () => t("Basics"),
    details: () => t("Details"),
    curriculum: () => t("Curriculum"),
    media: () => t("Media"),
    price: () => t("Price"),
    review: () => t("Review"),
  };
  return labels[step]();
}

/** Which fields a step has. */
const fieldsOf: Record<StepName, readonly string[]> = {
  basics: ["title", "subject", "difficulty", "language"],
  details: ["summary", "description", "outcomes", "before_you_begin", "prerequisites"],
  curriculum: [],
  media: ["plate_variant"],
  price: ["pricing"],
  review: ["is_announced"],
};

/** The step that has a field; checks of the server name fields, lessons or the price. */
export function stepOfField(name: string): StepName {
  return stepNames.find((step) => fieldsOf[step].includes(name)) ?? "review";
}

/** The step and the field that the fragment of an address names, as links of other pages do ("#id_summary"). */
export function placeOfHash(hash: string): { step: StepName; field: string } {
  const name = hash.replace(/^#(id_)?/, "");
  const step = stepNames.find((one) => one === name);
  if (step) return { step, field: "heading" };
  const found = stepNames.find((one) => fieldsOf[one].includes(name));
  return found ? { step: found, field: name } : { step: "basics", field: "heading" };
}

/** Which step of the wizard a check leads to, and the element there that gets the focus. */
export function placeOfCheck({ key, href }: Check): { step: StepName; field: string } | null {
  const fields: Record<string, string> = {
    title: "title",
    summary: "summary",
    outcomes: "outcomes",
    more_outcomes: "outcomes",
    description: "description",
    price: "pricing",
  };
  const field = fields[key];
  if (field !== undefined) return { step: stepOfField(field), field };
  return href.includes("/lectures") ? { step: "curriculum", field: "" } : null;
}

/** What steps without a text of their own say of themselves. */
type Facts = {
  hasPicture: boolean;
  pricings: readonly { value: string; label: string }[];
  isSubmitted: boolean;
};

const isFilled = (value: unknown): boolean =>
  typeof value === "string" ? value.trim() !== "" : !Array.isArray(value) || value.length > 0;

/** What is said below the name of a step. */
export function stateOf(
  step: StepName,
  fields: ReadonlyMap<string, Field>,
  checks: readonly Check[],
  { hasPicture, pricings, isSubmitted }: Facts,
): { text: string; isDone: boolean } {
  const mine = checks.filter((check) => placeOfCheck(check)?.step === step && check.is_required);
  const missing = mine.filter(({ is_met }) => !is_met).length;
  const refused = fieldsOf[step].filter((name) => {
    const state = fields.get(name)?.state;
    return state === "refused" || state === "conflict";
  }).length;
  if (refused > 0)
    return {
      text: tn("{count} to correct", "{count} to correct", refused),
      isDone: false,
    };
  if (step === "review") {
    if (isSubmitted) return { text: t("Submitted"), isDone: true };
    const left = checks.filter((check) => check.is_required && !check.is_met).length;
    return left > 0
      ? { text: tn("{count} thing missing", "{count} things missing", left), isDone: false }
      : { text: t("Ready to submit"), isDone: false };
  }
  if (missing > 0)
    return { text: tn("{count} thing missing", "{count} things missing", missing), isDone: false };
  if (step === "media")
    return { text: hasPicture ? t("Your picture") : t("Artwork"), isDone: true };
  if (step === "price") {
    const { kind, price } = fields.get("pricing")?.value as { kind: string; price: string | null };
    const label = pricings.find(({ value }) => value === kind)?.label ?? "";
    return { text: price ?? label, isDone: true };
  }
  const texts = fieldsOf[step].filter((name) => name !== "prerequisites");
  const filled = texts.filter((name) => isFilled(fields.get(name)?.value)).length;
  return filled === texts.length
    ? { text: t("Complete"), isDone: true }
    : { text: t("{filled} of {all} filled", { filled, all: texts.length }), isDone: false };
}
