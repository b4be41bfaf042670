/** The settings: character counters, slider values, the index of sections, the theme form and the avatar crop. */
import { chooseAppearance, resetAppearance, styles, themes } from "../shared/appearance";
import { startAvatarCrop } from "./avatarCrop";

/** `<textarea data-counted="id">`: shows the number of characters in the element with that id. */
function startCounters(): void {
  for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-counted]")) {
    const output = document.getElementById(area.dataset.counted ?? "");
    const show = (): void => {
      // The server rendered "81 of 300" in the language of the user: replace the first number only.
      if (output)
        output.textContent = output.textContent.replace(
          /\d+/,
          String(Array.from(area.value).length),
        );
    };
    area.addEventListener("input", show);
  }
}

/** `<input type="range" data-shown-in="id">`: shows its value in the element with that id. */
function startRanges(): void {
  for (const slider of document.querySelectorAll<HTMLInputElement>("input[data-shown-in]")) {
    const output = document.getElementById(slider.dataset.shownIn ?? "");
    slider.addEventListener("input", () => {
      if (output) output.textContent = slider.value;
    });
  }
}

/** Show the current section in the index, which scrolls sideways on phones. */
function startIndex(): void {
  const list = document.querySelector<HTMLElement>("[data-sideindex] ul");
  const current = list?.querySelector<HTMLElement>("[aria-current]");
  if (!list || !current) return;
  const [row, chip] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  list.scrollLeft += chip.left + chip.width / 2 - row.left - row.width / 2;
}

/** The address of the section that a link from when all sections were one page names: `/settings/#goals`. */
export function sectionOfFragment({ pathname, hash }: Location): string | null {
  if (pathname.replace(/\/$/, "") !== "/settings") return null;
  const links = document.querySelectorAll<HTMLAnchorElement>("[data-sideindex] a");
  const path = `/settings/${hash.slice(1)}`;
  return [...links].some((link) => link.pathname === path) ? path : null;
}

function openLinkedSection(): void {
  const path = sectionOfFragment(location);
  if (path) location.replace(path);
}

/** `<form data-look-form>`: applies the chosen theme and style when the form is sent. */
export function startAppearanceForm(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-look-form]");
  // On the window, after all other listeners: a form that they prevented, as while offline, changes nothing.
  addEventListener("submit", (event) => {
    if (!form || event.target !== form || event.defaultPrevented) return;
    const chosen = new FormData(form);
    const theme = themes.find((name) => name === chosen.get("theme"));
    const style = styles.find((name) => name === chosen.get("style"));
    if (theme) chooseAppearance({ theme });
    else resetAppearance("theme");
    if (style) chooseAppearance({ style });
  });
}

/** Start what this settings page contains. */
export function startSettings(): void {
  openLinkedSection();
  addEventListener("hashchange", openLinkedSection);
  startCounters();
  startRanges();
  startIndex();
  startAppearanceForm();
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-crop]"))
    startAvatarCrop(form);
}
