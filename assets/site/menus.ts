/** Menus are `<details class="menu">`, which open without scripts. This adds keyboard support and closes them. */
import { isShown } from "../shared/visible";

const items = "a[href], button:not([disabled]), input:not([type=radio]):not([disabled])";

function openMenus(): HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")];
}

function menuOf(target: EventTarget | null): HTMLDetailsElement | null {
  return target instanceof Element ? target.closest<HTMLDetailsElement>("details.menu") : null;
}

function summaryOf(menu: HTMLDetailsElement): HTMLElement | null {
  return menu.querySelector("summary");
}

function close(menu: HTMLDetailsElement, { returnsFocus }: { returnsFocus: boolean }): void {
  menu.open = false;
  if (returnsFocus) summaryOf(menu)?.focus({ preventScroll: true });
}

function lockScrolling(): void {
  const isLocked = openMenus().some((menu) => "sheet" in menu.dataset);
  document.documentElement.style.overflow = isLocked ? "hidden" : "";
}

function move(menu: HTMLDetailsElement, key: string): boolean {
  const all = [...menu.querySelectorAll<HTMLElement>(items)].filter(isShown);
  const here = all.indexOf(document.activeElement as HTMLElement);
  const last = all.length - 1;
  const next = { ArrowDown: here === last ? 0 : here + 1, ArrowUp: here <= 0 ? last : here - 1 };
  const index = { ...next, Home: 0, End: last }[key];
  if (index === undefined || last < 0) return false;
  all[index]?.focus();
  return true;
}

/** Whether a text field or a group of radio buttons uses the key itself. */
function isOwnKey({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLInputElement)) return false;
  if (target.type === "radio") return key.startsWith("Arrow");
  return key === "Home" || key === "End";
}

function onKey(event: KeyboardEvent): void {
  const menu = menuOf(event.target);
  if (event.key === "Escape") {
    const open = menu?.open ? menu : openMenus().at(-1);
    if (!open) return;
    close(open, { returnsFocus: true });
    event.preventDefault();
    return;
  }
  if (!menu || isOwnKey(event) || event.altKey || event.ctrlKey || event.metaKey) return;
  if (!menu.open) {
    if (event.key !== "ArrowDown" || event.target !== summaryOf(menu)) return;
    menu.open = true;
  }
  if (move(menu, event.key)) event.preventDefault();
}

/** Start the menus of the page, including those that are added later. */
export function startMenus(): void {
  document.addEventListener(
    "toggle", // does not bubble
    ({ target }) => {
      if (!(target instanceof HTMLDetailsElement) || !target.matches(".menu")) return;
      if (target.open) {
        for (const other of openMenus()) {
          if (other !== target && !other.contains(target)) close(other, { returnsFocus: false });
        }
      }
      lockScrolling();
    },
    { capture: true },
  );
  document.addEventListener("keydown", onKey);
  document.addEventListener("pointerdown", ({ target }) => {
    for (const menu of openMenus()) {
      if (menu.contains(target as Node)) continue;
      close(menu, { returnsFocus: menu.contains(document.activeElement) });
    }
  });
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    const menu = menuOf(target);
    if (menu?.open && relatedTarget instanceof Node && !menu.contains(relatedTarget)) {
      close(menu, { returnsFocus: false });
    }
  });
  document.addEventListener("click", ({ target }) => {
    const menu = menuOf(target);
    if (menu?.open && target instanceof Element && target.closest("a[href]")) {
      close(menu, { returnsFocus: true });
    }
  });
}
