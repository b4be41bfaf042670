/** Parts of the lectures page that the server renders by themselves (`PART` in apps/courses/pages/outline.py). */

const HEADER = "X-Page-Part";

export type Answer =
  | { kind: "part"; body: HTMLElement; address: string }
  /** It led to another page. */
  | { kind: "elsewhere"; address: string }
  /** Refused, or failed: a page says why. */
  | { kind: "refused" };

/** Ask for a part of a page: the panel of a lesson, or what changes with each save. */
export async function fetchPart(
  name: "panel" | "state" | "outline",
  address: string,
  init: RequestInit = {},
): Promise<Answer> {
  const answer = await fetch(address, {
    credentials: "same-origin",
    ...init,
    headers: { [HEADER]: name },
  });
  const { pathname, search } = new URL(answer.url);
  if (answer.ok && answer.headers.get(HEADER) === name) {
    const { body } = new DOMParser().parseFromString(await answer.text(), "text/html");
    return { kind: "part", body, address: pathname + search };
  }
  return answer.ok && answer.redirected
    ? { kind: "elsewhere", address: pathname + search }
    : { kind: "refused" };
}
