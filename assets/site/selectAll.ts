/** The box above a table that checks all boxes of its rows: `[data-select-all]` within `form[data-selects]`. */
export function startSelectAll(form: HTMLFormElement): void {
  const all = form.querySelector<HTMLInputElement>("[data-select-all]");
  if (!all) return;
  const boxes = (): HTMLInputElement[] => [
    ...form.querySelectorAll<HTMLInputElement>("tbody input[type=checkbox]"),
  ];
  const show = (): void => {
    const checked = boxes().filter((box) => box.checked).length;
    all.checked = checked > 0 && checked === boxes().length;
    all.indeterminate = checked > 0 && !all.checked;
  };
  form.addEventListener("change", ({ target }) => {
    if (target === all) for (const box of boxes()) box.checked = all.checked;
    show();
  });
  // The boxes change after the event.
  form.addEventListener("reset", () => setTimeout(show));
  addEventListener("pageshow", show); // the browser brings back what was checked
  show();
}
