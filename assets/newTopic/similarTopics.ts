/** Topics that resemble the title of a new one, shown below it while the user types. */
import { announce } from "../shared/announce";
import type { components } from "../shared/api/schema.gen";
import { t, tn } from "../shared/i18n";
import { drawIcon } from "../shared/icons";
import { titleLength } from "./title";

type SimilarTopic = components["schemas"]["ForumSimilarTopicOut"];

export const PAUSE_MS = 400;
const PRESS_MS = 50;
const LEAST = 4; // code points: shorter titles say too little

let isPointerDown = false;
for (const name of ["pointerdown", "pointerup", "pointercancel"])
  addEventListener(name, () => (isPointerDown = name === "pointerdown"), { capture: true });

/** Wait until no button is being pressed: a list that appears would move it away, and the click would be lost. */
async function pointerIsUp(): Promise<void> {
  while (isPointerDown) await new Promise((resolve) => setTimeout(resolve, PRESS_MS));
}

/** Keep the list in `place` ([data-alike]) up to date with the title and the board of its form. */
export function startSimilarTopics(title: HTMLInputElement, place: HTMLElement): void {
  const board = title.form?.querySelector<HTMLSelectElement>("select[name=board]");
  const list = place.querySelector("ul");
  let timer: ReturnType<typeof setTimeout> | undefined;
  let pending: AbortController | undefined;
  let asked = "";
  let shown = "";

  const show = (topics: SimilarTopic[]): void => {
    list?.replaceChildren(...topics.map(drawTopic));
    place.hidden = topics.length === 0;
    const ids = topics.map(({ id }) => id).join();
    if (topics.length > 0 && ids !== shown)
      announce(
        tn(
          "{count} similar topic below the title",
          "{count} similar topics below the title",
          topics.length,
        ),
      );
    shown = ids;
  };

  const ask = async (): Promise<void> => {
    const query = new URLSearchParams({ title: title.value.trim(), board: board?.value ?? "" });
    if (query.toString() === asked) return;
    pending?.abort();
    asked = query.toString();
    if (titleLength(title.value) < LEAST) {
      show([]);
      return;
    }
    const { signal } = (pending = new AbortController());
    try {
      const response = await fetch(`/api/v1/forum/similar/?${asked}`, {
        credentials: "same-origin",
        headers: { Accept: "application/json" },
        signal,
      });
      if (!response.ok) throw new TypeError();
      const topics = (await response.json()) as SimilarTopic[];
      await pointerIsUp();
      if (!signal.aborted) show(topics);
    } catch {
      // Replaced by a newer question, offline, or too many questions: what is shown stays, the next pause asks again.
      if (!signal.aborted) asked = "";
    }
  };

  const askSoon = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), PAUSE_MS);
  };
  title.addEventListener("input", askSoon);
  board?.addEventListener("change", askSoon);
  askSoon();
}

function drawTopic(topic: SimilarTopic): HTMLLIElement {
  const row = element("li", "alike__one");
  const words = document.createElement("div");
  const link = element("a", "medium");
  link.href = `/forum/topics/${topic.id}`;
  link.target = "_blank"; // the draft stays
  link.append(...parse(topic.title_html), element("span", "vh", " " + t("(opens in a new tab)")));
  const snippet = element("p", "small muted");
  snippet.append(...parse(topic.snippet_html));
  words.append(link, snippet);
  const facts = element("span", "row row--tight small faint");
  if (topic.is_answered) {
    const badge = element("span", "badge badge--ok");
    badge.append(drawIcon("check"), t("Answered"));
    facts.append(badge);
  } else if (topic.is_unanswered) {
    const badge = element("span", "badge badge--warn");
    const pip = element("span", "pip pip--dash");
    pip.ariaHidden = "true";
    badge.append(pip, t("Unanswered"));
    facts.append(badge);
  }
  facts.append(tn("{count} reply", "{count} replies", topic.reply_count));
  row.append(words, facts);
  return row;
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  classes: string,
  text = "",
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = classes;
  made.textContent = text;
  return made;
}

/** The server has escaped the text; only its marks are elements. */
function parse(html: string): ChildNode[] {
  return [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
}
