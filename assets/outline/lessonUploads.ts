/** The uploads of lessons that were made of files: they go on while the outline is edited, and end with this page. */
import { announce } from "../shared/announce";
import { authenticatedApi, unwrap } from "../shared/api/client";
import { createButton, element } from "../shared/dialog";
import { t } from "../shared/i18n";
import { drawIcon } from "../shared/icons";
import { refreshLessonRow } from "../shared/lecturesPage";
import { judge, waitOf } from "../shared/saving/judge";
import { toast } from "../shared/toasts";
import { messageOfTransfer } from "../shared/uploads/messages";
import { RETRY_SECONDS, type Transfer, Transfers } from "../shared/uploads/transfers";
import type { Transport } from "../shared/uploads/transport";
import { tusTransportOnDemand } from "../shared/uploads/tusTransportOnDemand";
import { titleOf } from "./rows";
import { watchProcessing } from "./watchProcessing";

const UPLOADS_ENDPOINT = "/api/v1/uploads/";

type Kind = "video" | "file";
export type LessonUploads = {
  add: (file: File, kind: Kind, lesson: string) => void;
  /** Say what was refused, in a line of the region that stays until it is dismissed: none pushes out another. */
  warn: (said: string) => void;
  /**
   * Make a call that takes lessons back, and end their uploads with them. Meanwhile nothing is sent for them; if the
   * call is refused, they continue.
   */
  endWith: <T>(lessons: ReadonlySet<string>, call: () => Promise<T>) => Promise<T>;
};

let started: LessonUploads | undefined;

/** One transport for both purposes of uploads. */
function createTransport(kindOf: (file: File) => Kind): Transport {
  const transports = {
    video: tusTransportOnDemand(UPLOADS_ENDPOINT, "video"),
    file: tusTransportOnDemand(UPLOADS_ENDPOINT, "file"),
  };
  return {
    start: (task, events) => transports[kindOf(task.file)].start(task, events),
    findPrevious: (file) => transports[kindOf(file)].findPrevious(file),
    remove: (url) => transports.file.remove(url),
  };
}

/** The uploads of this page, shown above the outline. */
export function startLessonUploads(outline: HTMLElement): LessonUploads {
  started ??= createLessonUploads(outline);
  return started;
}

export function createLessonUploads(outline: HTMLElement, given?: Transport): LessonUploads {
  const kinds = new WeakMap<File, Kind>();
  const transport = given ?? createTransport((file) => kinds.get(file) ?? "file");
  const transfers = new Transfers(transport);
  const rows = new Map<number, Row>();
  /** Sent, and being attached to their lessons. */
  const ending = new Set<number>();
  /** Lessons that were taken back. */
  const takenBack = new Set<string>();
  const list = element("ul", "fromfiles__uploads");
  list.setAttribute("role", "list");
  const heading = element("h2", "h5", t("Uploads"));
  const region = element("section", "panel fromfiles__region", heading, list);
  region.setAttribute("aria-label", t("Uploads"));

  addEventListener("beforeunload", (event) => {
    // Paused and interrupted ones end with the page, too.
    if (transfers.all.some(({ state }) => state !== "refused")) event.preventDefault();
  });
  addEventListener("online", transfers.resumeInterrupted);

  function show(): void {
    const all = transfers.all;
    for (const [id, { row }] of rows)
      if (!all.some((one) => one.id === id)) {
        rows.delete(id);
        row.remove();
      }
    for (const transfer of all) {
      let shown = rows.get(transfer.id);
      if (!shown) {
        shown = createRow(transfer, transfers, outline);
        rows.set(transfer.id, shown);
        list.append(shown.row);
      }
      shown.update(transfer);
      if (transfer.state !== "sent" || ending.has(transfer.id)) continue;
      ending.add(transfer.id);
      void end(transfer);
    }
    showRegion();
  }

  function showRegion(): void {
    if (transfers.all.length === 0 && list.children.length === 0) region.remove();
    else if (!region.isConnected) outline.before(region);
  }

  function warn(said: string): void {
    const dismiss = createButton("icon-btn icon-btn--sm", drawIcon("x"));
    dismiss.setAttribute("aria-label", t("Dismiss"));
    const row = element("li", "is-refused", element("p", "small", said), dismiss);
    dismiss.addEventListener("click", () => {
      row.remove();
      showRegion();
    });
    list.append(row);
    showRegion();
    announce(said, "assertive");
  }

  /** The file has arrived: a video is attached to its lesson by the server, any other file is now. */
  async function end({ id, file, url, target }: Transfer): Promise<void> {
    const lesson = target ?? "";
    try {
      if (kinds.get(file) === "file") await attach(lesson, url ?? "", takenBack);
      announce(t("{file} was uploaded.", { file: file.name }));
    } catch (error) {
      const reason = error instanceof Error ? error.message : "";
      if (!takenBack.has(lesson))
        warn(
          t("{file} was uploaded, but its lesson can't use it. {reason}", {
            file: file.name,
            reason,
          }),
        );
      // No lesson uses it, so its storage is freed. If that fails, too, it expires.
      await transport.remove(url ?? "").catch(() => undefined);
    }
    transfers.forget(id);
    ending.delete(id);
    await refreshLessonRow(lesson).catch(() => undefined);
    watchProcessing();
  }

  transfers.subscribe(show);
  return {
    warn,
    add(file, kind, lesson) {
      // A copy without the path of its folder: the library would make the folder, too.
      const sent = new File([file], file.name, {
        type: file.type,
        lastModified: file.lastModified,
      });
      kinds.set(sent, kind);
      transfers.add(sent, { target: lesson });
    },
    async endWith(lessons, call) {
      const unsent = transfers.all.filter(
        ({ target, state }) => state !== "sent" && lessons.has(target ?? ""),
      );
      const running = unsent.filter(({ state }) => state !== "paused" && state !== "refused");
      // What waits first: it would start in the place of what is paused.
      for (const one of ["waiting", "interrupted", "sending"])
        for (const { id } of running.filter(({ state }) => state === one)) transfers.pause(id);
      for (const lesson of lessons) takenBack.add(lesson);
      try {
        const answer = await call();
        for (const { id } of unsent) await transfers.cancel(id).catch(() => transfers.forget(id));
        return answer;
      } catch (error) {
        for (const lesson of lessons) takenBack.delete(lesson);
        for (const { id } of running) transfers.resume(id);
        throw error;
      }
    },
  };
}

/**
 * Give the lesson its file. While the connection is lost or the server fails it tries again: the file has been uploaded
 * already. Not for a lesson that was taken back.
 */
async function attach(lesson: string, url: string, takenBack: ReadonlySet<string>): Promise<void> {
  const upload = url.split("/").filter(Boolean).at(-1) ?? "";
  for (let failures = 0; ; failures += 1)
    try {
      await unwrap(
        authenticatedApi.PUT("/api/v1/lessons/{uid}/file/", {
          params: { path: { uid: lesson } },
          body: { upload },
        }),
      );
      return;
    } catch (error) {
      if (judge(error) !== "later" || takenBack.has(lesson)) throw error;
      const seconds = RETRY_SECONDS[Math.min(failures, RETRY_SECONDS.length - 1)] ?? 0;
      await waitOrOnline(waitOf(error) ?? seconds * 1000);
      if (takenBack.has(lesson)) throw error;
    }
}

/** Wait, but not longer than until the connection is back. */
const waitOrOnline = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
  });

type Row = { row: HTMLLIElement; update: (transfer: Transfer) => void };

function createRow(
  { id, file, target }: Transfer,
  transfers: Transfers,
  outline: HTMLElement,
): Row {
  const { name } = file;
  const bar = element("progress", "bar");
  bar.max = 100;
  bar.setAttribute("aria-label", t("Upload of {name}", { name }));
  const message = element("p", "small faint num clip");
  const lesson = outline.querySelector<HTMLElement>(`[data-lesson="${target ?? ""}"]`);
  const toggle = createButton("icon-btn icon-btn--sm");
  const cancel = createButton("icon-btn icon-btn--sm", drawIcon("x"));
  cancel.setAttribute("aria-label", t("Cancel upload of {name}", { name }));
  const row = element(
    "li",
    "",
    element("div", "", element("p", "strong clip", lesson ? titleOf(lesson) : name), bar, message),
    element("span", "row row--tight", toggle, cancel),
  );
  let isRunning = true;
  toggle.addEventListener("click", () => (isRunning ? transfers.pause(id) : transfers.resume(id)));
  cancel.addEventListener("click", () => {
    transfers.cancel(id).catch((error: unknown) => {
      toast(error instanceof Error ? error.message : "", { icon: "circle-alert", stays: true });
      transfers.forget(id);
    });
  });
  return {
    row,
    update(transfer) {
      const { state, sent } = transfer;
      isRunning = state === "sending" || state === "waiting";
      bar.value = file.size > 0 ? Math.floor((100 * sent) / file.size) : 0;
      const { main, aside } = messageOfTransfer(transfer);
      const said =
        state === "sent" ? t("Checking the file") : [main, aside].filter(Boolean).join(", ");
      if (message.textContent !== said) message.textContent = said;
      row.classList.toggle("is-refused", state === "refused");
      if (state === "refused") message.setAttribute("role", "alert");
      toggle.hidden = state === "refused" || state === "sent";
      cancel.hidden = state === "sent";
      const label = isRunning
        ? t("Pause upload of {name}", { name })
        : t("Resume upload of {name}", { name });
      if (toggle.getAttribute("aria-label") === label) return;
      toggle.setAttribute("aria-label", label);
      toggle.replaceChildren(drawIcon(isRunning ? "pause" : "play"));
    },
  };
}
