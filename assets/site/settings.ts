/** The settings page: character counters, slider values, the current section, the theme form and the avatar crop. */
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

/** Mark the visible section in the index at the side. */
function startIndex(): void {
  const links = [...document.querySelectorAll<HTMLAnchorElement>("[data-sideindex] a")];
  const seen = new Set<string>();
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries)
        if (isIntersecting) seen.add(target.id);
        else seen.delete(target.id);
      const first = links.find(({ hash }) => seen.has(hash.slice(1)));
      if (!first) return;
      for (const link of links)
        if (link === first) link.setAttribute("aria-current", "true");
        else link.removeAttribute("aria-current");
    },
    { rootMargin: "-15% 0px -70%" },
  );
  for (const section of document.querySelectorAll(".pref[id]")) watch.observe(section);
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
  startCounters();
  startRanges();
  startIndex();
  startAppearanceForm();
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-crop]"))
    startAvatarCrop(form);
}
