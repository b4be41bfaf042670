/** The quiz on a page of the server. */

export type QuizOfPage = { island: HTMLElement; lesson: string };

/** Null on all other pages, and in the shell, which shows the attempts of this device itself. */
export function readQuizOfPage(): QuizOfPage | null {
  if (document.documentElement.dataset.offline !== undefined) return null;
  const island = document.querySelector<HTMLElement>("[data-island=quiz]");
  const script = island?.nextElementSibling;
  const { lesson_uid: lesson } = JSON.parse(script?.textContent ?? "{}") as { lesson_uid?: string };
  return island && lesson ? { island, lesson } : null;
}
