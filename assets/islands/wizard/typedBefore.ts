/** What was typed into the page's form before the island took its place. */

export type TypedBefore = {
  /** What was typed before the island was loaded, by field. */
  typed?: Record<string, unknown>;
  /** The field that had the focus then; "": none had. */
  entered?: string;
};

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function isChanged(control: Control): boolean {
  if (control instanceof HTMLSelectElement)
    return [...control.options].some((option) => option.selected !== option.defaultSelected);
  if (control.type === "hidden") return false;
  if (control instanceof HTMLInputElement && ["checkbox", "radio"].includes(control.type))
    return control.checked !== control.defaultChecked;
  return control.value !== control.defaultValue;
}

const TEXTS = ["title", "summary", "description", "language", "before_you_begin"];

type Named = readonly { value: string; label: string }[];

/** The forms know courses and categories by numbers, the wizard by their names in addresses: what they say is the same. */
const find = (choices: Named, text = ""): string | undefined =>
  choices.find(({ label }) => label === text.trim())?.value;

const checkedOf = (controls: readonly HTMLInputElement[]): HTMLInputElement | undefined =>
  controls.find(({ checked }) => checked);

/**
 * The values of the fields that differ from those the page came with, by the names of the wizard's fields.
 * @param choices the categories, and the courses that can be prerequisites
 */
export function readTyped(
  spot: HTMLElement,
  { subjects, prerequisites = [] }: { subjects: Named; prerequisites?: Named },
): Record<string, unknown> {
  const controls = (name: string): Control[] => [
    ...spot.querySelectorAll<Control>(`[name="${name}"]`),
  ];
  const boxes = (name: string): HTMLInputElement[] => controls(name) as HTMLInputElement[];
  const typed: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const [control] = controls(name);
    if (control && isChanged(control)) typed[name] = control.value;
  }
  const [category] = controls("subject");
  if (category instanceof HTMLSelectElement && isChanged(category)) {
    const found = find(subjects, category.selectedOptions[0]?.textContent);
    if (found !== undefined) typed.subject = found;
  }
  const outcomes = controls("outcomes");
  if (outcomes.some(isChanged)) {
    const isUsed = (one: Control): boolean =>
      one.value.trim() !== "" || one === document.activeElement;
    typed.outcomes = outcomes
      .slice(0, outcomes.findLastIndex(isUsed) + 1) // the lines keep their places
      .map(({ value }) => value);
  }
  const levels = boxes("difficulty");
  if (levels.some(isChanged)) typed.difficulty = checkedOf(levels)?.value;
  const variants = boxes("plate_variant");
  if (variants.some(isChanged)) typed.plate_variant = Number(checkedOf(variants)?.value);
  const first = boxes("prerequisites");
  if (first.some(isChanged))
    typed.prerequisites = first
      .filter(({ checked }) => checked)
      .map((one) => find(prerequisites, one.closest("label")?.textContent))
      .filter((value) => value !== undefined)
      .sort();
  const [ways, [price]] = [boxes("pricing"), boxes("price")];
  if ([...ways, ...(price ? [price] : [])].some(isChanged)) {
    const kind = checkedOf(ways)?.value ?? "free";
    typed.pricing = { kind, price: kind === "one_time" && price?.value ? price.value : null };
  }
  const [announced] = boxes("is_announced");
  if (announced && isChanged(announced)) typed.is_announced = announced.checked;
  return typed;
}
