/** The dashboard as it was last shown, and practice with the cards that were due. */
import { t } from "../../shared/i18n";
import { dateAndTime } from "../../shared/format";
import { practiceHere } from "./api/practice";
import { make, makeNotice } from "./elements";
import { loadSheets } from "./files";
import { mountIslands } from "./mountIslands";
import { turnOffForms } from "./needsConnection";
import { makePage } from "./shownPages";
import { showMain } from "./showMain";
import type { Store } from "./store";

/** The dashboard as the server last rendered it, marked as such; false if it was never stored. */
export async function showDashboard(store: Store): Promise<boolean> {
  const page = await store.readDashboard();
  if (!page) return false;
  const content = document.createElement("main");
  content.innerHTML = page.html;
  const state = makeNotice(
    "info",
    "clock",
    t("As of {time}", { time: dateAndTime(page.at) }),
    t("What you've done on this device since then is added when you're back online."),
  );
  content.prepend(state);
  state.after(make("p", { class: "vh", id: "needs-connection" }, t("Needs a connection")));
  turnOffForms(content);
  await loadSheets(page.sheets);
  const title = page.title.split(" | ")[0] ?? page.title; // the site's name stands behind it
  const main = showMain({ title, look: page.mainClass, content });
  await mountIslands(main);
  return true;
}

/** Practice: the page of templates/learning/practice.html without the figures beside the cards; false without cards. */
export async function showPractice(store: Store): Promise<boolean> {
  const stored = await store.readPractice();
  if (!stored) {
    const title = t("Practice");
    const content = makePage({
      icon: "cloud-off",
      title: t("No cards are on this device"),
      body: t("The cards that are due are kept on this device while you're online."),
      acts: [make("a", { class: "btn", href: "/offline" }, t("Lessons on this device"))],
    });
    showMain({ title, look: "page", content });
    return false;
  }
  const props = make("script", { type: "application/json" });
  props.textContent = JSON.stringify(await practiceHere(store, stored));
  const content = make(
    "div",
    {},
    make("div", { class: "drill__head mt-3" }, make("h1", { class: "h4" }, t("Practice"))),
    make(
      "div",
      { class: "drill__grid" },
      make("div", {}, make("div", { "data-island": "practice", "data-when": "now" }), props),
    ),
  );
  await loadSheets(["practice"]);
  const main = showMain({ title: t("Practice"), look: "page drill", content });
  await mountIslands(main);
  return true;
}
