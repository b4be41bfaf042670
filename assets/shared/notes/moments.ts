/** Marks a moment of the video, or takes the mark away. */
import { announce } from "../announce";
import { clock, spokenTime } from "../format";
import { t } from "../i18n";
import { toast } from "../toasts";
import { notesOf } from "./ofLesson";
import { secondOfVideo } from "./video";

/** A moment this close is the one that is meant. */
const NEAR_SECONDS = 2;

/** Mark the second that the video shows; where a moment is marked already, remove it. Both can be undone. */
export function toggleMoment(lesson: string): void {
  const notes = notesOf(lesson);
  const second = secondOfVideo();
  const near = notes.state.notes.find(
    (note) => note.kind === "moment" && Math.abs((note.second ?? -99) - second) <= NEAR_SECONDS,
  );
  if (near) {
    const undo = notes.remove(near.uid);
    const time = clock(near.second ?? 0);
    toast(t("Moment at {time} removed", { time }), {
      action: { label: t("Undo"), onPress: undo },
      icon: "bookmark",
    });
    return;
  }
  const editor = notes.begin();
  notes.write(editor, "moment", second, "");
  notes.sendSoon(0);
  announce(t("Moment marked at {time}", { time: spokenTime(second) }));
  toast(t("Moment marked at {time}", { time: clock(second) }), {
    action: { label: t("Undo"), onPress: () => void notes.remove(editor.uid) },
    icon: "bookmark",
    isSilent: true,
  });
}
