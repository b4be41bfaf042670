/** The dialog in which lessons are downloaded: their quality, what they take, and the space that is left. */
import { announce } from "../../shared/announce";
import { ApiError } from "../../shared/api/errors";
import { createButton, element, openDialog } from "../../shared/dialog";
import { t, tn } from "../../shared/i18n";
import { drawIcon } from "../../shared/icons";
import { toast } from "../../shared/toasts";
import type { Quality, StorableCourse, StorableLesson } from "../types";
import { describeFailure } from "./failures";
import { askOnce, hasAsked } from "./persistence";
import { chooseQuality, qualitiesOf, sizeOfAll } from "./picking";
import { findFree, findLimit, readDevice } from "./space";
import type { Store } from "./store";
import { qualityHint, qualityName, roughSize, sizeOf } from "./words";

export type Offer = {
  title: string;
  course: StorableCourse;
  lessons: readonly StorableLesson[];
  /** Lessons that can be added by a tick. */
  next?: readonly StorableLesson[];
  /** Of the signed-in learner. */
  user: string;
  store: Store;
};

function drawQuality(quality: Quality, size: number, isChosen: boolean): HTMLLabelElement {
  const input = element("input");
  Object.assign(input, { type: "radio", name: "quality", value: quality, checked: isChosen });
  const hint = element("span", "small faint block", qualityHint(quality));
  const name = element("span", "", element("span", "medium", qualityName(quality)), hint);
  return element("label", "check", input, name, element("span", "small num", roughSize(size)));
}

const drawLine = (text: string): HTMLElement =>
  element("p", "row row--tight", drawIcon("check"), text);

function drawIncluded(lessons: readonly StorableLesson[]): HTMLElement[] {
  const has = (wanted: StorableLesson["kind"]): boolean =>
    lessons.some(({ kind }) => kind === wanted);
  return [
    ...(has("video") ? [drawLine(t("Captions and transcript included"))] : []),
    ...(has("quiz")
      ? [drawLine(t("Quizzes included; your answers are marked when you're back online"))]
      : []),
  ];
}

function drawReasonToAsk(): HTMLElement {
  const reason = t(
    "Your browser may ask whether this site can keep files. Allow it, so that it doesn't delete your lessons when the device runs low on space.",
  );
  return element("p", "small muted", reason);
}

/** Open the dialog. Resolves once it is closed, with whether lessons were added. */
export async function openDownloadSheet(offer: Offer): Promise<boolean> {
  const { title, lessons, next = [], store } = offer;
  const device = await readDevice(store);
  const [limit, free] = [findLimit(device), findFree(device)];
  const more = element("input");
  more.type = "checkbox";
  const moreText = element("span");
  const choices = element("div", "getit__q");
  const fieldset = element("fieldset", "", element("legend", "vh", t("Quality")), choices);
  const included = element("div", "getit__extras");
  const problem = element("p", "field__error");
  problem.setAttribute("role", "alert");
  const press = createButton("btn btn--primary btn--block");
  let quality = device.preferences.quality;
  let isAdded = false;

  const readChosen = (): readonly StorableLesson[] =>
    more.checked ? [...lessons, ...next] : lessons;
  const complain = (sentence: string): void =>
    problem.replaceChildren(drawIcon("circle-alert"), sentence);
  const update = (): void => {
    const chosen = readChosen();
    const size = sizeOfAll(chosen, quality);
    press.replaceChildren(drawIcon("download"), t("Download {size}", { size: roughSize(size) }));
    press.disabled = size > free;
    const missing = roughSize(size - free);
    if (size > free)
      complain(t("Not enough space: {size} more needed. Free up space first.", { size: missing }));
    else problem.replaceChildren();
    const rest = { size: roughSize(sizeOfAll(next, quality)) };
    moreText.textContent = tn(
      "The next lesson too, {size}",
      "The next {count} lessons too, {size}",
      next.length,
      rest,
    );
  };
  /** The qualities of what is chosen, with their sizes. */
  const drawChoices = (): void => {
    const chosen = readChosen();
    const offered = qualitiesOf(chosen);
    quality = chooseQuality(offered, quality);
    fieldset.hidden = offered.length === 0;
    choices.replaceChildren(
      ...offered.map((one) => drawQuality(one, sizeOfAll(chosen, one), one === quality)),
    );
    included.replaceChildren(...drawIncluded(chosen));
    update();
  };
  choices.addEventListener("change", ({ target }) => {
    quality = (target as HTMLInputElement).value as Quality;
    update();
  });
  more.addEventListener("change", drawChoices);
  drawChoices();

  const link = element("a", "link small", t("On this device"));
  link.href = "/offline";
  const space = element("span", "small faint num", t("{space} free", { space: sizeOf(free, limit) })); // prettier-ignore
  const body: Node[] = [fieldset, included];
  if (next.length > 0) body.push(element("label", "check", more, moreText));
  if (!device.use.isPersistent && !hasAsked()) body.push(drawReasonToAsk());
  body.push(element("div", "row row--between", space, link), problem, press);

  return new Promise((resolve) => {
    const dialog = openDialog({
      title,
      body,
      className: "getit",
      focus: choices.querySelector<HTMLElement>(":checked") ?? press,
      onClose: () => resolve(isAdded),
    });
    const download = async (): Promise<void> => {
      const chosen = readChosen();
      press.setAttribute("aria-busy", "true");
      void askOnce(store); // within the press, or browsers do not ask
      try {
        await addToQueue(offer, chosen, quality);
        isAdded = true;
        dialog.close();
        sayAdded(chosen.length);
      } catch (reason) {
        complain(describeFailure(reason));
        if (reason instanceof ApiError && reason.problem.code === "OFFLINE_DEVICE_LIMIT")
          link.textContent = t("Remove a device");
      }
      press.removeAttribute("aria-busy");
    };
    press.addEventListener("click", () => {
      if (!press.hasAttribute("aria-busy")) void download();
    });
  });
}

function sayAdded(count: number): void {
  const sentence = tn("Downloading {count} lesson", "Downloading {count} lessons", count);
  if (count > 1) toast(sentence, { icon: "cloud-download" });
  else announce(sentence);
}

async function addToQueue(
  { user, course, store }: Offer,
  lessons: readonly StorableLesson[],
  quality: Quality,
): Promise<void> {
  const account = (await store.readAccount()) ?? (await store.startAccount(user));
  await store.queueLessons(account, course.course, lessons, quality);
}
