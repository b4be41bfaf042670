import { expect, it, vi } from "vitest";

import { startSidePanel } from "./sidePanel";

it("goes to a line of the open lesson without loading the panel again", () => {
  const path = "/dashboard/instructor/courses/rivers/lectures";
  history.replaceState(null, "", `${path}/spring`);
  document.body.innerHTML = `<div data-lectures="${path}"><div data-list></div><div data-side>
    <aside id="panel" tabindex="-1" data-opened="l"><a href="${path}/spring?line=2#id_body">Line 2</a>
    <a href="${path}/spring?line=3#id_body">Line 3</a><a href="${path}/spring#id_title">Title</a>
    <input id="id_title"><details><summary>Text</summary><textarea id="id_body"></textarea></details>
    </aside></div></div>`;
  const [grid, side] = document.querySelectorAll<HTMLElement>("[data-lectures], [data-side]");
  Element.prototype.scrollIntoView = () => undefined; // jsdom has none
  const fetching = vi.spyOn(globalThis, "fetch");
  const onShown = vi.fn();
  startSidePanel(
    grid!,
    side!,
    onShown,
    () => undefined,
    () => undefined,
  );
  const field = document.querySelector("textarea")!;
  field.value = "one\ntwo, not saved yet\nthree";
  const opened = onShown.mock.calls.length;
  const entries = history.length;
  const follow = (text: string): string => {
    const link = [...document.querySelectorAll("a")].find((one) => one.textContent === text);
    link!.click();
    return field.value.slice(field.selectionStart, field.selectionEnd);
  };

  expect(follow("Line 2")).toBe("two, not saved yet");
  expect(document.activeElement).toBe(field);
  expect(field.closest("details")?.open).toBe(true);
  field.setSelectionRange(0, 0);
  document.querySelector("a")!.focus();
  expect(follow("Line 2")).toBe("two, not saved yet");
  expect(follow("Line 3")).toBe("three");
  expect(location.search).toBe("?line=3");
  follow("Title");
  expect(document.activeElement?.id).toBe("id_title");
  expect(fetching).not.toHaveBeenCalled();
  expect(onShown).toHaveBeenCalledTimes(opened);
  expect(history.length).toBe(entries);
});

it("keeps the title of a new lesson that could not be sent", async () => {
  const path = "/dashboard/instructor/courses/rivers/lectures";
  history.replaceState(null, "", path);
  document.body.innerHTML = `<div data-lectures="${path}"><div data-list>
    <form method="post" action="${path}/add" data-adds><input name="title"></form></div><div data-side></div></div>`;
  const [grid, side] = document.querySelectorAll<HTMLElement>("[data-lectures], [data-side]");
  const fetching = vi.spyOn(globalThis, "fetch").mockRejectedValue(new TypeError("away"));
  const onAdded = vi.fn();
  startSidePanel(
    grid!,
    side!,
    () => undefined,
    onAdded,
    () => undefined,
  );
  const [form, field] = [document.querySelector("form")!, document.querySelector("input")!];
  field.value = "Deltas";
  form.requestSubmit();
  await vi.waitFor(() =>
    expect(document.querySelector(".toasts")?.textContent).toContain("Nothing was sent."),
  );
  await new Promise((done) => setTimeout(done));
  expect(field.value).toBe("Deltas");
  expect(onAdded).not.toHaveBeenCalled();
  expect(fetching).toHaveBeenCalledOnce();
});

it("passes on what the server offers to take back after a lesson was added", async () => {
  const path = "/dashboard/instructor/courses/rivers/lectures";
  history.replaceState(null, "", path);
  document.body.innerHTML = `<div data-lectures="${path}"><div data-list>
    <form method="post" action="${path}/add" data-adds><input type="hidden" name="csrfmiddlewaretoken" value="old"><input name="title"></form></div><div data-side></div></div>`;
  const [grid, side] = document.querySelectorAll<HTMLElement>("[data-lectures], [data-side]");
  const answer = new Response(
    `<p data-offered-undo="change" hidden>“Deltas” was added.</p><aside id="panel" tabindex="-1" data-opened="l"></aside>`,
    { headers: { "X-Page-Part": "panel" } },
  );
  Object.defineProperty(answer, "url", { value: `${location.origin}${path}/deltas` });
  vi.spyOn(globalThis, "fetch").mockResolvedValue(answer);
  const calls: unknown[] = [];
  startSidePanel(
    grid!,
    side!,
    () => undefined,
    () => calls.push("added"),
    (change) => calls.push(change),
  );
  const form = document.querySelector("form")!;
  const [token, field] = form.querySelectorAll("input");
  field!.value = "Deltas";
  form.requestSubmit();
  token!.value = "new"; // the token of the page is renewed
  await vi.waitFor(() =>
    expect(calls).toEqual([{ uid: "change", text: "“Deltas” was added." }, "added"]),
  );
  expect(field!.value).toBe(""); // for the next title
});
