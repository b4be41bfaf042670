/** Parts of a page that are fetched when the reader comes near: `[data-fetch-part="/address"]`. */
import { clock } from "../shared/format";
import { writeLocalTimes } from "./localTimes";

type Watch = (place: Element) => void;

async function fetchPart(place: HTMLElement): Promise<HTMLElement | null> {
  const response = await fetch(place.dataset.fetchPart ?? "", { credentials: "same-origin" });
  if (!response.ok || response.redirected) return null; // its link stays
  return new DOMParser().parseFromString(await response.text(), "text/html").body;
}

async function fill(place: HTMLElement, watch: Watch): Promise<void> {
  const found = await fetchPart(place);
  if (!found) return;
  place.replaceChildren(...found.childNodes);
  writeLocalTimes();
  const form = place.querySelector<HTMLFormElement>("form[data-ask]");
  if (form) startAsking(form);
  // A topic of the list: seen once its <details> is open.
  for (const one of place.querySelectorAll("[data-fetch-part]")) watch(one);
  const spots = place.querySelectorAll<HTMLElement>("[data-island]");
  if (spots.length > 0) {
    const { loadWithForm } = await import("./formIslands");
    for (const spot of spots) loadWithForm(spot, loadIsland);
  }
  if (place.querySelector("form[data-send-here]")) {
    const { startSendingHere } = await import("./sendHere");
    startSendingHere(place, () => refresh(place, watch));
  }
}

async function loadIsland(spot: HTMLElement): Promise<void> {
  const { mount } = await import("../shared/mount");
  await mount(spot);
}

/** Show what is new after something was posted: the posts of a topic, or the whole list. */
async function refresh(place: HTMLElement, watch: Watch): Promise<void> {
  const posts = place.querySelector("[data-thread-posts]");
  if (posts?.closest("[data-fetch-part]") !== place) {
    await fill(place, watch);
    return;
  }
  const fresh = (await fetchPart(place))?.querySelector("[data-thread-posts]");
  if (fresh) posts.replaceWith(fresh);
  writeLocalTimes();
}

/** A question that is asked while the video plays carries its second, unless the reader removes it. */
function startAsking(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLInputElement>("input[name=second]");
  const line = form.querySelector<HTMLElement>("[data-ask-second]");
  const shown = line?.querySelector("b");
  if (!field || !line || !shown) return;
  let isDecided = false;
  let wanted = ""; // the second at which "Ask" of the timeline was pressed
  const show = (): void => {
    shown.textContent = field.value === "" ? "" : clock(Number(field.value));
    line.hidden = field.value === "";
  };
  const set = (value: string): void => {
    isDecided = true;
    field.value = value;
    show();
  };
  form.addEventListener("focusin", () => {
    const second = Math.floor(document.querySelector("video")?.currentTime ?? 0);
    if (second > 0 && !isDecided) set(String(second));
  });
  // A draft brings its second back.
  field.addEventListener("input", () => set(wanted || field.value));
  const place = form.closest<HTMLElement>("#discussion");
  const takeAsked = (): void => {
    if (place?.dataset.askAt === undefined) return;
    wanted = place.dataset.askAt;
    delete place.dataset.askAt;
    set(wanted);
    form.querySelector<HTMLElement>("[name=title]")?.focus({ preventScroll: true });
    form.scrollIntoView({ block: "center" });
  };
  place?.addEventListener("study:ask", takeAsked);
  takeAsked();
  line.querySelector("button")?.addEventListener("click", () => {
    wanted = "";
    set("");
  });
  form.addEventListener("reset", () => {
    wanted = "";
    set("");
    isDecided = false;
  });
}

/** Watch the places of the page; each is filled once. */
export function startFetchedParts(): void {
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        watcher.unobserve(target);
        void fill(target as HTMLElement, watch).catch(() => watch(target));
      }
    },
    { rootMargin: "200px" },
  );
  const watch = (place: Element): void => watcher.observe(place);
  for (const place of document.querySelectorAll("[data-fetch-part]")) watch(place);
}
