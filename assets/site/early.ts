/** What is asked of an island before any of its code is there: a press of its fallback's `[data-start]`, or space. */

const wanted = "[data-island] [data-start]";

function keep(button: Element): void {
  button.setAttribute("aria-busy", "true");
  button.closest<HTMLElement>("[data-island]")?.setAttribute("data-start", "");
}

/** Runs in the head: whoever is quicker than the scripts is heard, too. */
export function keepStart(): void {
  addEventListener("click", ({ target }) => {
    const button = target instanceof Element ? target.closest(wanted) : null;
    if (button) keep(button);
  });
  addEventListener("keydown", (event) => {
    if (event.key !== " " || event.defaultPrevented) return;
    if (document.activeElement !== document.body) return;
    const button = document.querySelector(wanted);
    if (!button) return;
    event.preventDefault();
    keep(button);
  });
}
