import { expect, it } from "vitest";

import type { Change, WaitingChange } from "../types";
import { groupChanges } from "./changes";

function waiting(kind: Change["kind"], title: string, at: string, watched?: [number, number][]) {
  const change = { id: `${kind}${title}${at}`, kind, lesson: null, made_at: at } as Change;
  if (watched) change.watched = { position: 1, watched, began_at: at };
  return { change, title, refusal: null } satisfies WaitingChange;
}

it("groups what waits by kind, in the order in which it began", () => {
  const groups = groupChanges([
    waiting("note", "2.4 Eigenvectors", "2027-03-09T18:44:00Z"),
    waiting("watched", "2.4 Eigenvectors", "2027-03-09T18:50:00Z", [[0, 600]]),
    waiting("note", "2.4 Eigenvectors", "2027-03-09T18:52:00Z"),
    waiting("watched", "2.5 By hand", "2027-03-09T18:55:00Z", [[0, 120], [200, 320]]), // prettier-ignore
    waiting("attempt", "2.6 Quiz", "2027-03-09T19:00:00Z"),
  ]);

  expect(groups.map(({ label, detail }) => `${label}: ${detail}`)).toEqual([
    "2 notes: 2.4 Eigenvectors",
    "14 minutes learned: 2.4 Eigenvectors, 2.5 By hand",
    "1 quiz attempt: 2.6 Quiz",
  ]);
  expect(groups[0]?.madeAt).toBe("2027-03-09T18:52:00Z");
});

it("counts the titles that it does not list, and says a minute where less was watched", () => {
  const [notes, watched] = groupChanges([
    ...["a", "b", "c", "d"].map((title) => waiting("note", title, "2027-03-09T18:44:00Z")),
    waiting("watched", "a", "2027-03-09T18:44:00Z", [[0, 3]]),
  ]);

  expect(notes?.detail).toBe("a, b and 2 more");
  expect(watched?.label).toBe("1 minute learned");
});
