/** What was typed into the page's form before the island took its place. */

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

function isChanged(control: Control): boolean {
  if (control instanceof HTMLSelectElement)
    return [...control.options].some((option) => option.selected !== option.defaultSelected);
  if (control instanceof HTMLInputElement && ["checkbox", "radio"].includes(control.type))
    return control.checked !== control.defaultChecked;
  return control.value !== control.defaultValue;
}

const TEXTS = ["title", "summary", "description", "language", "before_you_begin"];

/**
 * The values of the fields that differ from those the page came with, by the names of the wizard's fields.
 * @param subjects the categories: the form knows them by numbers, the wizard by their names in addresses
 */
export function readTyped(
  spot: HTMLElement,
  subjects: readonly { value: string; label: string }[],
): Record<string, unknown> {
  const controls = (name: string): Control[] => [
    ...spot.querySelectorAll<Control>(`[name="${name}"]`),
  ];
  const typed: Record<string, unknown> = {};
  for (const name of TEXTS) {
    const [control] = controls(name);
    if (control && isChanged(control)) typed[name] = control.value;
  }
  const [category] = controls("subject");
  if (category instanceof HTMLSelectElement && isChanged(category)) {
    const name = category.selectedOptions[0]?.textContent.trim();
    const found = subjects.find(({ label }) => label === name);
    if (found) typed.subject = found.value;
  }
  const outcomes = controls("outcomes");
  if (outcomes.some(isChanged))
    typed.outcomes = outcomes.map(({ value }) => value).filter((line) => line.trim() !== "");
  const level = controls("difficulty") as HTMLInputElement[];
  if (level.some(isChanged)) typed.difficulty = level.find(({ checked }) => checked)?.value;
  const [announced] = controls("is_announced") as HTMLInputElement[];
  if (announced && isChanged(announced)) typed.is_announced = announced.checked;
  return typed;
}
