/** On phones the filters are a dialog, whose button names how many courses it shows. */

const boxesOf = (form: ParentNode): HTMLInputElement[] => [
  ...form.querySelectorAll<HTMLInputElement>("input[type=checkbox]"),
];

/** Have the button and the boxes name the numbers that the same form has on the page of results. */
function showCounts(form: HTMLFormElement, results: ParentNode): void {
  const found = results.querySelector("[data-found]")?.textContent;
  const button = form.querySelector("[data-found]");
  if (button && found) button.textContent = found;
  const fresh = boxesOf(results);
  for (const box of boxesOf(form)) {
    const facet = fresh.filter((one) => one.name === box.name);
    if (facet.length === 0) continue; // left out, for it leaves nothing to choose
    const same = facet.find((one) => one.value === box.value);
    const count = box.closest("label")?.querySelector(".check__n");
    if (count)
      count.textContent = same?.closest("label")?.querySelector(".check__n")?.textContent ?? "0";
  }
}

/** On a screen that the query `phone` is true of, the link to the filters opens them as a dialog; what is not sent is taken back when it closes. */
export function startSheet(form: HTMLFormElement, phone: string): void {
  const opener = document.querySelector<HTMLAnchorElement>("[data-filters]");
  const column = form.parentElement;
  if (!opener || !column) return;
  const dialog = document.createElement("dialog");
  dialog.className = "sheet";
  dialog.setAttribute("aria-labelledby", "filters-title");
  // What lies outside of an open dialog is not read out: it has a live region of its own.
  const said = document.createElement("p");
  said.className = "vh";
  said.setAttribute("role", "status");
  dialog.append(said);
  column.after(dialog);
  const before = form.cloneNode(true) as HTMLFormElement;
  let asked: AbortController | undefined;

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
  dialog.addEventListener("pointerdown", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  dialog.addEventListener("close", () => {
    asked?.abort();
    form.reset();
    showCounts(form, before);
    said.textContent = "";
    column.append(form);
    opener.focus();
  });
  matchMedia(phone).addEventListener("change", () => dialog.open && dialog.close());
  form.addEventListener("change", () => {
    if (!dialog.open) return;
    asked?.abort();
    const { signal } = (asked = new AbortController());
    const query = new URLSearchParams(new FormData(form) as never).toString();
    resultsOf(`${form.action}?${query}`, signal).then(
      (results) => {
        if (signal.aborted) return;
        showCounts(form, results);
        said.textContent = form.querySelector("[data-found]")?.textContent ?? "";
      },
      () => undefined, // the button works without its number
    );
  });
  // Pressed before this script came: the style sheet showed the filters in the meantime.
  const isWanted = location.hash === "#filters" && matchMedia(phone).matches;
  column.dataset.ready = "";
  if (isWanted) {
    history.replaceState(history.state, "", location.pathname + location.search);
    open();
  }
}

async function resultsOf(address: string, signal: AbortSignal): Promise<Document> {
  const answer = await fetch(address, { credentials: "same-origin", signal });
  if (!answer.ok) throw new Error(`No results (${answer.status})`);
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}
