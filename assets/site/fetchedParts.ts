/** Parts of a page that are fetched when the reader comes near: `[data-fetch-part="/address"]`. */
import { clock } from "../shared/format";
import { writeLocalTimes } from "./localTimes";

async function fill(place: HTMLElement): Promise<void> {
  const response = await fetch(place.dataset.fetchPart ?? "", { credentials: "same-origin" });
  if (!response.ok || response.redirected) return; // its link stays
  const found = new DOMParser().parseFromString(await response.text(), "text/html");
  place.replaceChildren(...found.body.childNodes);
  writeLocalTimes();
  const form = place.querySelector<HTMLFormElement>("form[data-ask]");
  if (form) startAsking(form);
}

/** A question that is asked while the video plays carries its second, unless the reader removes it. */
function startAsking(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>("input[name=second]");
  const line = form.querySelector<HTMLElement>("[data-ask-second]");
  const shown = line?.querySelector("b");
  if (!field || !line || !shown) return;
  const show = (second: number | null): void => {
    field.value = second === null ? "" : String(second);
    shown.textContent = second === null ? "" : clock(second);
    line.hidden = second === null;
  };
  form.addEventListener(
    "focusin",
    () => {
      const second = Math.floor(document.querySelector("video")?.currentTime ?? 0);
      if (second > 0) show(second);
    },
    { once: true },
  );
  line.querySelector("button")?.addEventListener("click", () => show(null));
}

/** Watch the places of the page; each is filled once. */
export function startFetchedParts(): void {
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watch.unobserve(target);
        void fill(target as HTMLElement).catch(() => watch.observe(target));
      }
    },
    { rootMargin: "200px" },
  );
  for (const place of document.querySelectorAll("[data-fetch-part]")) watch.observe(place);
}
