/** On narrow screens the filters open as a dialog whose button says how many courses match. */
import { closeOnOutsidePress } from "../shared/dialog";

const boxesOf = (form: ParentNode): HTMLInputElement[] => [
  ...form.querySelectorAll<HTMLInputElement>("input[type=checkbox]"),
];

/** Copy the numbers of the button and the checkboxes from the same form on another page of results. */
function showCounts(form: HTMLFormElement, results: ParentNode): void {
  const found = results.querySelector("[data-found]")?.textContent;
  const button = form.querySelector("[data-found]");
  if (button && found) button.textContent = found;
  const fresh = boxesOf(results);
  for (const box of boxesOf(form)) {
    const facet = fresh.filter((one) => one.name === box.name);
    if (facet.length === 0) continue; // omitted by the server when it has nothing to choose
    const same = facet.find((one) => one.value === box.value);
    const count = box.closest("label")?.querySelector(".check__n");
    if (count)
      count.textContent = same?.closest("label")?.querySelector(".check__n")?.textContent ?? "0";
  }
}

/**
 * Have the link to the filters open them as a dialog. Closing it discards changes that were not sent.
 * @param phone media query of the screens that show the dialog
 */
export function startSheet(form: HTMLFormElement, phone: string): void {
  const opener = document.querySelector<HTMLAnchorElement>("[data-filters]");
  const container = form.parentElement;
  if (!opener || !container) return;
  const dialog = document.createElement("dialog");
  dialog.className = "sheet";
  dialog.setAttribute("aria-labelledby", "filters-title");
  // Screen readers ignore live regions outside an open dialog, so it has its own.
  const status = document.createElement("p");
  status.className = "vh";
  status.setAttribute("role", "status");
  dialog.append(status);
  container.after(dialog);
  const initial = form.cloneNode(true) as HTMLFormElement;
  let request: AbortController | undefined;

  const open = (): void => {
    dialog.prepend(form);
    dialog.showModal();
  };
  opener.setAttribute("role", "button");
  opener.setAttribute("aria-haspopup", "dialog");
  opener.addEventListener("click", (event) => {
    event.preventDefault();
    open();
  });
  opener.addEventListener("keydown", (event) => {
    if (event.key !== " ") return;
    event.preventDefault();
    open();
  });
  form.querySelector("[data-close]")?.addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
  closeOnOutsidePress(dialog);
  dialog.addEventListener("close", () => {
    request?.abort();
    form.reset();
    showCounts(form, initial);
    status.textContent = "";
    container.append(form);
    opener.focus();
  });
  matchMedia(phone).addEventListener("change", () => dialog.open && dialog.close());
  form.addEventListener("change", () => {
    if (!dialog.open) return;
    request?.abort();
    const { signal } = (request = new AbortController());
    const query = new URLSearchParams(new FormData(form) as never).toString();
    fetchResults(`${form.action}?${query}`, signal).then(
      (results) => {
        if (signal.aborted) return;
        showCounts(form, results);
        status.textContent = form.querySelector("[data-found]")?.textContent ?? "";
      },
      () => undefined, // the button works without a number
    );
  });
  // The link was pressed initial this script ran: the style sheet has shown the filters until now.
  const isWanted = location.hash === "#filters" && matchMedia(phone).matches;
  container.dataset.ready = "";
  if (isWanted) {
    history.replaceState(history.state, "", location.pathname + location.search);
    open();
  }
}

async function fetchResults(address: string, signal: AbortSignal): Promise<Document> {
  const response = await fetch(address, { credentials: "same-origin", signal });
  if (!response.ok) throw new Error(`No results (${response.status})`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}
