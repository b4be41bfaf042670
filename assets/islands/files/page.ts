/** What of the page around the island changes with it: title, heading, address of the places, storage. */
import { fetchPage } from "../../shared/fetchPage";

/** " | Study Platform", as the server wrote it. */
let suffix: string | undefined;

export const heading = (): HTMLElement | null =>
  document.querySelector<HTMLElement>("[data-files-title]");

export function showTitle(name: string): void {
  suffix ??= / \| [^|]*$/.exec(document.title)?.[0] ?? "";
  document.title = `${name}${suffix}`;
  const title = heading();
  if (title && title.textContent !== name) title.textContent = name;
}

export function focusHeading(): void {
  const title = heading();
  if (!title) return;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
}

const SPACE = "[data-files-space]";
const WAIT_MS = 400;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Show how much storage is used now, as the server writes it; of several calls in a row, once. */
export function refreshSpace(): void {
  clearTimeout(waiting);
  waiting = setTimeout(() => void replaceSpace(), WAIT_MS);
}

async function replaceSpace(): Promise<void> {
  const shown = document.querySelector(SPACE);
  if (!shown) return;
  // A failure leaves the figures as they are: nobody waits for them.
  const page = await fetchPage(location.pathname).catch(() => null);
  const fresh = page?.querySelector(SPACE);
  if (fresh) shown.replaceWith(document.adoptNode(fresh));
}

/** Download several files and folders as one archive: posts the form of the page, which answers with a download. */
export function downloadArchive(
  files: readonly string[],
  folders: readonly string[],
  csrf: string,
): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/files/zip";
  form.hidden = true;
  const fields = [
    ["csrfmiddlewaretoken", csrf],
    ...files.map((uid) => ["file", uid]),
    ...folders.map((uid) => ["folder", uid]),
  ];
  for (const [name = "", value = ""] of fields) {
    const field = document.createElement("input");
    field.type = "hidden";
    field.name = name;
    field.value = value;
    form.append(field);
  }
  document.body.append(form);
  // The page stays, so running uploads need no question.
  const stay = (event: Event): void => event.stopImmediatePropagation();
  addEventListener("beforeunload", stay, { capture: true, once: true });
  form.submit();
  form.remove();
  setTimeout(() => removeEventListener("beforeunload", stay, { capture: true }), 1000);
}

/** Download one file without leaving the page. */
export function download(url: string, name: string): void {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}
