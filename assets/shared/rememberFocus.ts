/** Keeps the focus where it is while an island takes the place of a form. */
const FOCUSABLE =
  "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";

type TextControl = HTMLInputElement | HTMLTextAreaElement;

/** Radio buttons and the like have no selection. */
const isText = (control: HTMLElement): control is TextControl =>
  typeof (control as Partial<TextControl>).selectionStart === "number";

/** The field of a form that has the focus, by its name and place among those; "": none has. */
export function focusedField(spot: HTMLElement): { name: string; index: number } {
  const before = document.activeElement;
  if (!before || !spot.contains(before)) return { name: "", index: -1 };
  // The live editor stands in for its textarea.
  const field = before.closest(".composer")?.querySelector("textarea") ?? before;
  const name = field.getAttribute("name") ?? "";
  const named = [...spot.querySelectorAll("[name]")].filter(
    (one) => one.getAttribute("name") === name,
  );
  return { name, index: named.indexOf(field) };
}

/**
 * Returns a function that gives the focus that was in the fallback to the same control of the island: by its id, by
 * `data-field` with the name of the field, by its place in the section of the same id, or by what it says; else to the
 * first. In the same field the caret stays in its place. No key gets into another field.
 */
export function rememberFocus(spot: HTMLElement): () => void {
  const before = document.activeElement;
  if (!(before instanceof HTMLElement) || !spot.contains(before)) return () => undefined;
  const { id, tagName, textContent } = before;
  const { name, index } = focusedField(spot);
  const section = before.closest("section[id]");
  const placeInSection = section ? [...section.querySelectorAll(tagName)].indexOf(before) : -1;
  const isTyped = isText(before) || before.isContentEditable;
  const { selectionStart, selectionEnd, selectionDirection } = before as Partial<TextControl>;

  const findSame = (controls: readonly HTMLElement[]): HTMLElement | undefined => {
    const named = name === "" ? [] : controls.filter(({ dataset }) => dataset.field === name);
    const byName = named[index] ?? (isTyped ? undefined : named[0]);
    const byId = id === "" ? undefined : controls.find((control) => control.id === id);
    const bySection = controls.find(
      (control) => section && control === inSection(section.id, tagName, placeInSection),
    );
    const byText = controls.find(
      (control) => control.tagName === tagName && control.textContent === textContent,
    );
    const isNamed = !isTyped && textContent !== "";
    return byName ?? byId ?? bySection ?? (isNamed ? byText : undefined);
  };
  const place = (): boolean => {
    if (document.activeElement !== document.body) return true;
    const controls = [...spot.querySelectorAll<HTMLElement>(FOCUSABLE)];
    const same = findSame(controls);
    const others = isTyped ? controls.filter((control) => !isText(control)) : controls;
    const control = same ?? others.find((one) => one.tagName === tagName) ?? others[0];
    control?.focus({ preventScroll: true });
    if (same && isText(before) && isText(same))
      same.setSelectionRange(
        selectionStart ?? null,
        selectionEnd ?? null,
        selectionDirection ?? undefined,
      );
    return control !== undefined;
  };
  return () => {
    if (place()) return;
    // The island waits for the session or its data first.
    const watch = new MutationObserver(() => place() && watch.disconnect());
    watch.observe(spot, { childList: true, subtree: true });
  };
}

const inSection = (id: string, tagName: string, index: number): Element | undefined =>
  document.getElementById(id)?.querySelectorAll(tagName)[index];
