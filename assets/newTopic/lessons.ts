/** Offer the lessons of a course only while its board is chosen: the page has those of one board. */
export function startLessons(form: HTMLFormElement): void {
  const board = form.querySelector<HTMLSelectElement>("select[name=board]");
  const lesson = form.querySelector<HTMLSelectElement>("select[name=lesson]");
  const field = lesson?.closest<HTMLElement>(".field");
  if (!board || !lesson || !field) return;
  const own = board.value;
  board.addEventListener("change", () => {
    field.hidden = board.value !== own;
    if (field.hidden) lesson.value = "";
  });
}
