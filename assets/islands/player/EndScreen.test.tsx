import { render, screen } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";

import * as api from "./api";
import { EndScreen } from "./EndScreen";

type Lesson = Pick<api.LessonLink, "uid" | "number" | "title" | "state">;
const link = (uid: string): Lesson => ({ uid, number: "1.1", title: uid, state: "available" });
const lesson = { uid: "film", course: { slug: "c" }, next: link("gone") };

beforeEach(() => {
  document.body.innerHTML = ["film", "gone", "after"]
    .map((uid) => `<li data-lesson="${uid}"></li>`)
    .join("");
});

function show(...uids: string[]): void {
  const outline = { sections: [{ lessons: uids.map(link) }] } as unknown as api.Outline;
  vi.spyOn(api, "fetchOutline").mockResolvedValue(outline);
  const done = (): void => undefined;
  render(
    <EndScreen
      lesson={lesson as unknown as api.PlayerProps}
      isEnrolled
      certificate={null}
      isAudioOnly={false}
      playsNext
      onNext={done}
      onAgain={done}
    />,
  );
}

it.each([
  ["as it is", ["film", "gone", "after"], "gone"],
  ["after one that was taken out", ["film", "after"], "after"],
  ["after a film that was taken out with it", ["first", "after", "last"], "after"],
])("counts down to the next lesson %s", async (_, uids, title) => {
  show(...uids);

  expect(await screen.findByText(title)).toBeTruthy();
  expect(screen.getByText(/Next in 8 s/)).toBeTruthy();
});

it("says that it was the last lesson if what followed was taken out", async () => {
  show("film");

  expect(await screen.findByText("That was the last lesson")).toBeTruthy();
});
