/** The line above the page: since when there is no connection, and when it is looked for again. */
import { timeOfDay } from "../../shared/format";
import { t } from "../../shared/i18n";
import { make, makeButton, makeIcon } from "./elements";
import type { ConnectionState } from "./connection";

/** Shows the state in `[data-offline-note]`. The seconds are not read aloud. */
export class OfflineNotice {
  readonly #place = document.querySelector<HTMLElement>("[data-offline-note]");
  readonly #says = make("span", { role: "status" });
  readonly #counts = make("span", { class: "nowrap", "aria-hidden": "true" });
  readonly #parts: Element[];
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param check ask now */
  constructor(check: () => void) {
    const again = makeButton(t("Check now"), "btn--sm", check);
    this.#parts = [makeIcon("wifi-off"), this.#says, this.#counts, again];
    this.#place?.replaceChildren(...this.#parts);
  }

  /** @param promise a sentence on what works meanwhile; empty for none */
  show(state: ConnectionState, promise: string): void {
    clearInterval(this.#timer);
    if (!this.#place || state.isOnline) {
      this.hide();
      return;
    }
    this.#place.hidden = false;
    // After something else was said.
    if (!this.#says.isConnected) this.#place.replaceChildren(...this.#parts);
    const since = t("You've been offline since {time}.", { time: timeOfDay(state.since) });
    const says = [since, promise].join(" ").trim();
    if (this.#says.textContent !== says) this.#says.textContent = says;
    const count = (): void => {
      const seconds = Math.max(0, Math.ceil((state.nextCheck - Date.now()) / 1000));
      this.#counts.textContent = state.isChecking
        ? t("Checking the connection")
        : t("Checking again in {seconds} s", { seconds });
    };
    count();
    this.#timer = setInterval(count, 1000);
  }

  /** Say something else, with something to press. */
  offer(words: string, label: string, onPress: () => void): void {
    this.#say(words, makeButton(label, "btn--sm", onPress));
  }

  /** Say what is being done. */
  tell(words: string): void {
    this.#say(words);
  }

  #say(words: string, ...acts: Element[]): void {
    clearInterval(this.#timer);
    if (!this.#place) return;
    this.#place.hidden = false;
    const says = make("span", { role: "status" });
    this.#place.replaceChildren(makeIcon("info"), says, ...acts);
    says.textContent = words;
  }

  hide(): void {
    clearInterval(this.#timer);
    if (this.#place) this.#place.hidden = true;
  }
}
