/** The order of the courses in a learning path: shown at once, sent in order, reverted if the server refuses. */
import { announce } from "../shared/announce";
import { followDrag } from "../shared/drag";
import { t } from "../shared/i18n";
import { toast } from "../shared/toasts";

const rowsOf = (list: HTMLElement): HTMLElement[] => [
  ...list.querySelectorAll<HTMLElement>(":scope > [data-course]"),
];
const titleOf = (row: HTMLElement): string => row.querySelector("[data-title]")?.textContent ?? "";

export function startOrdering(list: HTMLElement): void {
  let queue: Promise<void> = Promise.resolve();
  let generation = 0;

  /** Update numbers, the positions of the forms and the arrows from the current order. */
  function renumber(): void {
    const rows = rowsOf(list);
    for (const [at, row] of rows.entries()) {
      const number = row.querySelector("[data-number]");
      if (number) number.textContent = String(at + 1);
      for (const arrow of row.querySelectorAll<HTMLButtonElement>("[data-move]")) {
        const by = Number(arrow.dataset.move);
        arrow.disabled = by < 0 ? at === 0 : at === rows.length - 1;
        const field = arrow.form?.elements.namedItem("position");
        if (field instanceof HTMLInputElement) field.value = String(Math.max(1, at + 1 + by));
      }
    }
  }

  async function send(row: HTMLElement, position: number): Promise<void> {
    const form = row.querySelector<HTMLButtonElement>("[data-move]")?.form;
    if (!form) return;
    const body = new FormData(form);
    body.set("position", String(position));
    // What is refused is answered as a problem, not by a redirect with a message.
    const headers = { Accept: "application/json" };
    const response = await fetch(form.action, { method: "POST", headers, body });
    // A redirect elsewhere, such as to the sign-in page, saved nothing.
    const isHere = new URL(response.url, location.href).pathname === location.pathname;
    if (!response.ok || !isHere) throw new Error(String(response.status));
  }

  function move(row: HTMLElement, before: HTMLElement | null): void {
    const order = rowsOf(list);
    const mine = generation;
    list.insertBefore(row, before);
    const position = rowsOf(list).indexOf(row) + 1;
    if (order.indexOf(row) + 1 === position) return;
    renumber();
    queue = queue.then(async () => {
      if (mine !== generation) return; // an earlier move was refused, which reverted this one, too
      try {
        await send(row, position);
        announce(t("“{title}” is now {number}.", { title: titleOf(row), number: position }));
      } catch {
        generation += 1;
        list.append(...order);
        renumber();
        toast(
          t("“{title}” couldn't be moved. Reload the page and try again.", {
            title: titleOf(row),
          }),
          {
            icon: "circle-alert",
            stays: true,
          },
        );
      }
    });
  }

  list.addEventListener("submit", (event) => {
    const arrow = (event.target as HTMLElement).querySelector<HTMLButtonElement>("[data-move]");
    const row = arrow?.closest<HTMLElement>("[data-course]");
    if (!arrow || !row) return;
    event.preventDefault();
    const rows = rowsOf(list);
    const by = Number(arrow.dataset.move);
    const at = rows.indexOf(row);
    move(row, (by < 0 ? rows[at - 1] : rows[at + 2]) ?? null);
    const free = arrow.disabled
      ? [...row.querySelectorAll<HTMLButtonElement>("[data-move]")].find((one) => !one.disabled)
      : arrow;
    free?.focus();
  });

  list.addEventListener("pointerdown", (event) => {
    const grip = (event.target as Element).closest<HTMLElement>("[data-grip]");
    const row = grip?.closest<HTMLElement>("[data-course]");
    if (!grip || !row || event.button !== 0 || !event.isPrimary) return;
    event.preventDefault();
    const from = event.clientY + scrollY;
    let before: HTMLElement | null = rowsOf(list)[rowsOf(list).indexOf(row) + 1] ?? null;
    row.classList.add("is-moving");
    followDrag(grip, event, {
      onMove: ({ clientY }) => {
        row.style.translate = `0 ${clientY + scrollY - from}px`;
        const others = rowsOf(list).filter((one) => one !== row);
        before =
          others.find((one) => {
            const { top, height } = one.getBoundingClientRect();
            return clientY < top + height / 2;
          }) ?? null;
        for (const one of others) one.classList.toggle("drops-here", one === before);
      },
      onEnd: (isDropped) => {
        row.classList.remove("is-moving");
        row.style.translate = "";
        for (const one of rowsOf(list)) one.classList.remove("drops-here");
        if (isDropped) move(row, before);
      },
    });
  });
}
