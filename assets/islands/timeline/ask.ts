/** A question at a second of the video: the form is in the discussion of the page, which fetches it when it comes into view. */
import { close, isSheet } from "./sheet";

const discussionOfPage = (): HTMLElement | null => document.getElementById("discussion");

/** Whether the page has a discussion. */
export function mayAsk(): boolean {
  return discussionOfPage() !== null;
}

/** Go to the form of a question about this second; null: about the whole lesson. */
export function ask(second: number | null): void {
  const discussion = discussionOfPage();
  const panel = document.querySelector<HTMLElement>("[data-timeline]");
  if (!discussion || !panel) return;
  if (isSheet(panel)) close(panel); // it would cover the form
  discussion.dataset.askAt = String(second ?? "");
  discussion.scrollIntoView({ block: "start" });
  discussion.dispatchEvent(new Event("study:ask"));
}
