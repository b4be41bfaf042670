/** What a page of the site shows of offline lessons. Fetched by site/offlineParts.ts. */
import { toast } from "../../shared/toasts";
import { createDownloadAnnouncer } from "./announceDownloads";
import { offerLessons, showPanel, showSections } from "./courseButtons";
import { describeFailure } from "./failures";
import { showAside, showBadges } from "./learningAside";
import { createLessonButton, type LessonButton } from "./lessonButton";
import type { Store } from "./store";
import { openStore } from "./browserStore";

/** Progress of a download is reported more often than people can read. */
const MIN_INTERVAL_MS = 500;

export type OfflinePage = {
  /** Show what is stored now. */
  update: () => Promise<void>;
  /** Do what a button offers. */
  press: (button: HTMLButtonElement) => Promise<void>;
};

/** Show what is stored on this page, and follow it. `user` is the signed-in learner. */
export function createOfflinePage(user: string, store: Store): OfflinePage {
  const buttons = new Map<HTMLButtonElement, LessonButton>();
  const lessonButtonOf = (button: HTMLButtonElement): LessonButton => {
    const known = buttons.get(button) ?? createLessonButton(button, user, store);
    buttons.set(button, known);
    return known;
  };

  const announceDownloads = createDownloadAnnouncer();

  const update = async (): Promise<void> => {
    const account = await store.readAccount();
    const stored = account ? await store.listLessons(account) : [];
    const lessonButtons = [
      ...document.querySelectorAll<HTMLButtonElement>("[data-offline-lesson]"),
    ];
    for (const button of lessonButtons) lessonButtonOf(button).show(stored);
    const uids = lessonButtons.map(({ dataset }) => dataset.offlineLesson);
    announceDownloads(uids.length > 0 ? stored.filter(({ uid }) => uids.includes(uid)) : stored);
    showSections(stored);
    showBadges(stored);
    const panel = document.querySelector<HTMLElement>("[data-offline-panel]");
    if (panel) showPanel(panel, stored);
    const aside = document.querySelector<HTMLElement>("[data-offline-aside]");
    if (aside && account) await showAside(aside, account, stored, store);
  };

  let timer: ReturnType<typeof setTimeout> | undefined;
  store.subscribe(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void update().catch(() => undefined); // the next change shows it
    }, MIN_INTERVAL_MS);
  });

  const act = async (button: HTMLButtonElement): Promise<void> => {
    const refusal = await store.whyNotPossible();
    if (refusal) toast(refusal.message, { icon: "circle-alert" });
    else if ("offlineLesson" in button.dataset) await lessonButtonOf(button).press();
    else await offerLessons(button, user, store);
  };

  const press = async (button: HTMLButtonElement): Promise<void> => {
    button.setAttribute("aria-busy", "true");
    try {
      await act(button);
    } catch (reason) {
      toast(describeFailure(reason), { icon: "circle-alert" });
    }
    button.removeAttribute("aria-busy");
    await update();
  };
  return { update, press };
}

/** The page of this browser's store. */
export function startOfflinePage(user: string): OfflinePage {
  const page = createOfflinePage(user, openStore());
  void page.update().catch(() => undefined); // the buttons offer what they offered without it
  return page;
}
