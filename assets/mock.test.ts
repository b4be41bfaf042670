import { expect, it } from "vitest";

import { answer } from "./mock";

const ask = (path: string, method = "GET") =>
  answer(new Request(`http://localhost/api/v1${path}`, { method }));

it("responds with what was recorded for the operation, for any identifier", async () => {
  const outline = ask("/courses/any-course/outline/");
  expect(outline.status).toBe(200);
  expect(((await outline.json()) as { course: { slug: string } }).course.slug).toBe(
    "linear-algebra-geometrically",
  );
  expect(ask("/lessons/1/attempts/", "POST").status).toBe(201);
});

it("responds 404 to a call that was not recorded", async () => {
  const unknown = ask("/courses/any/course/outline/");
  expect(unknown.status).toBe(404);
  expect(((await unknown.json()) as { detail: string }).detail).toContain("record_api");
});
