/** The studio's lectures page, brought in step with the server without losing what is being written on it. */

const SAID = ".unit__end > .badge, .unit__end > .unit__len";

const rowOf = (page: ParentNode, lesson: string): HTMLElement | null =>
  page.querySelector<HTMLElement>(`[data-lesson="${lesson}"]`);

/** This page as the server would write it now; null if it does not come. */
export async function fetchPage(): Promise<Document | null> {
  const answer = await fetch(location.pathname + location.search);
  // After a while nobody is signed in any more: that is another page.
  if (!answer.ok || answer.redirected) return null;
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

/** Has a lesson's row, its section and the list before review say what they say on the other page. */
export function showLesson(lesson: string, now: Document): void {
  const [row, written] = [rowOf(document, lesson), rowOf(now, lesson)];
  const end = row?.querySelector(".unit__end");
  if (!row || !end || !written) return;
  for (const old of row.querySelectorAll(SAID)) old.remove();
  end.prepend(...written.querySelectorAll(SAID));
  row.toggleAttribute("data-going", written.hasAttribute("data-going"));
  const facts = (of: Element) => of.closest("[data-section]")?.querySelector("[data-facts]");
  const [shown, known] = [facts(row), facts(written)];
  if (shown && known) shown.textContent = known.textContent;
  for (const part of ["[data-checks]", "[data-film]", "[data-ready]"]) {
    const [old, fresh] = [document.querySelector(part), now.querySelector(part)];
    if (old && fresh) old.replaceWith(fresh);
  }
}

/** The row of one lesson anew. */
export async function refreshLessonRow(lesson: string): Promise<void> {
  const now = await fetchPage();
  if (now) showLesson(lesson, now);
}
