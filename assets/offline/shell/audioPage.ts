/** The page of the audio player (templates/learning/audio.html), made from the stored page of the video. */
import { t } from "../../shared/i18n";
import { make } from "./elements";
import { patchProps } from "./pageProps";

export function makeAudioPage(content: HTMLElement): void {
  const spot = content.querySelector<HTMLElement>("[data-island=player]");
  const props = spot?.nextElementSibling;
  const title = content.querySelector(".player__title");
  if (!spot || !props || !title) return;
  patchProps<object>(content, "player", (known) => ({ ...known, is_listening: true }));
  spot.replaceChildren(
    make("section", { class: "stage stage--listen", "aria-label": t("Audio player") }),
  );
  title.after(spot, props);
  content.querySelector(".player__grid")?.classList.add("player__grid--read");
  const link = content.querySelector<HTMLAnchorElement>("a[href^='/audio-fallback']");
  const { url } = JSON.parse(props.textContent) as { url: string };
  link?.replaceWith(make("a", { class: "btn btn--sm", href: url }, t("Watch the video")));
}
