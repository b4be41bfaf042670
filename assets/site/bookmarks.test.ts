import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, it, vi } from "vitest";

import { startBookmarks } from "./bookmarks";

const keep = vi.fn<(course: string, on: boolean) => Promise<void>>();

beforeAll(() => startBookmarks(keep));

beforeEach(() => {
  keep.mockReset().mockResolvedValue();
  document.body.innerHTML = `
    <form method="post" data-bookmark="rivers"><input type="hidden" name="on" value="1">
      <button class="bookmark" type="submit" aria-pressed="false" aria-label="Bookmark Rivers"></button></form>
    <div data-live="polite"></div><div class="toasts" data-toasts></div>`;
});

const button = () => document.querySelector<HTMLButtonElement>("button.bookmark");

it("saves and removes a bookmark", async () => {
  await userEvent.click(button()!);
  expect(button()?.getAttribute("aria-pressed")).toBe("true");
  expect(keep).toHaveBeenLastCalledWith("rivers", true);
  expect(document.querySelector<HTMLInputElement>("input[name=on]")?.value).toBe("");

  await userEvent.click(button()!);
  expect(button()?.getAttribute("aria-pressed")).toBe("false");
  expect(keep).toHaveBeenLastCalledWith("rivers", false);
});

it("reverts a bookmark that could not be saved and says so", async () => {
  keep.mockRejectedValue(new Error("offline"));

  await userEvent.click(button()!);

  await vi.waitFor(() => expect(button()?.getAttribute("aria-pressed")).toBe("false"));
  expect(document.querySelector("[data-toasts]")?.textContent).toContain("couldn't be saved");
});

it("updates the text of the button on a lesson page", async () => {
  document.body.insertAdjacentHTML(
    "afterbegin",
    `<form method="post" data-bookmark="hills"><input type="hidden" name="on" value="1">
      <button aria-pressed="false"><svg></svg><span>Bookmark course</span></button></form>`,
  );
  const button = document.querySelector<HTMLButtonElement>("[data-bookmark] button")!;
  await userEvent.click(button);
  expect(keep).toHaveBeenLastCalledWith("hills", true);
  expect(button.textContent.trim()).toBe("Course bookmarked");

  keep.mockRejectedValue(new Error("no"));
  await userEvent.click(button);
  await vi.waitFor(() => expect(button.getAttribute("aria-pressed")).toBe("true"));
  expect(button.textContent.trim()).toBe("Course bookmarked");
  expect(document.querySelector("[data-toasts]")?.textContent).toContain("couldn't be removed");
});
