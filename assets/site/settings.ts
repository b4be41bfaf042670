/** The settings page: counters, the values of sliders, the section one is in, and the part of a picture to keep. */
import { chooseLook, forgetLook, styles, themes } from "./look";
import { startPortrait } from "./portrait";

/** `<textarea data-counted="id">`: how many characters of its limit are used. */
function startCounters(): void {
  for (const area of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-counted]")) {
    const output = document.getElementById(area.dataset.counted ?? "");
    const show = (): void => {
      // The server wrote "81 of 300" in the reader's language: only its first number changes.
      if (output)
        output.textContent = output.textContent.replace(
          /\d+/,
          String(Array.from(area.value).length),
        );
    };
    area.addEventListener("input", show);
  }
}

/** `<input type="range" data-shown-in="id">`: the number beside the label. */
function startRanges(): void {
  for (const slider of document.querySelectorAll<HTMLInputElement>("input[data-shown-in]")) {
    const output = document.getElementById(slider.dataset.shownIn ?? "");
    slider.addEventListener("input", () => {
      if (output) output.textContent = slider.value;
    });
  }
}

/** Mark the section that is being read in the index at the side. */
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

/** `<form data-look-form>`: what is sent to the account is worn here at once. */
export function startLookForm(): void {
  const form = document.querySelector<HTMLFormElement>("form[data-look-form]");
  // On the window, after everything on the page: a form that is held back, as without a connection, changes nothing.
  addEventListener("submit", (event) => {
    if (!form || event.target !== form || event.defaultPrevented) return;
    const chosen = new FormData(form);
    const theme = themes.find((name) => name === chosen.get("theme"));
    const style = styles.find((name) => name === chosen.get("style"));
    if (theme) chooseLook({ theme });
    else forgetLook("theme");
    if (style) chooseLook({ style });
  });
}

export function startSettings(): void {
  startCounters();
  startRanges();
  startIndex();
  startLookForm();
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-portrait]"))
    startPortrait(form);
}
