/** Tooltips beside fields: shown by hovering, focus or a tap, closed by Escape, by leaving, or by a tap elsewhere. */

const GAP = 8; // CSS pixels between a tooltip and the top of the window

function open(box: HTMLElement): void {
  for (const other of document.querySelectorAll<HTMLElement>("[data-tip][data-open]"))
    if (other !== box) close(other);
  box.removeAttribute("data-below");
  box.setAttribute("data-open", "");
  const text = box.querySelector<HTMLElement>(".tip__text");
  box.toggleAttribute("data-below", (text?.getBoundingClientRect().top ?? GAP) < GAP);
}

function close(box: HTMLElement): void {
  box.removeAttribute("data-open");
}

/** Start all tooltips of the page. */
export function startTooltips(): void {
  for (const box of document.querySelectorAll<HTMLElement>("[data-tip]")) {
    const button = box.querySelector("button");
    box.addEventListener("pointerenter", ({ pointerType }) => {
      if (pointerType !== "touch") open(box);
    });
    box.addEventListener("pointerleave", ({ pointerType }) => {
      if (pointerType !== "touch" && !button?.matches(":focus-visible")) close(box);
    });
    button?.addEventListener("focus", () => {
      if (button.matches(":focus-visible")) open(box);
    });
    button?.addEventListener("blur", () => close(box));
    button?.addEventListener("click", () => open(box));
    // On a phone it may lie on what one wants to press next.
    box.querySelector(".tip__text")?.addEventListener("click", () => close(box));
  }
  document.addEventListener("pointerdown", ({ target }) => {
    for (const box of document.querySelectorAll<HTMLElement>("[data-tip][data-open]"))
      if (!(target instanceof Node) || !box.contains(target)) close(box);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const box of document.querySelectorAll<HTMLElement>("[data-tip][data-open]")) {
      close(box);
      event.preventDefault();
    }
  });
}
