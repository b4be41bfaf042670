/** What a new page must not interrupt. */

/** Whether something would be lost or interrupted by a new page. */
export function isBusy(): boolean {
  const media = [...document.querySelectorAll<HTMLMediaElement>("video, audio")];
  if (media.some((one) => !one.paused && !one.ended)) return true;
  if (document.querySelector("[data-open-attempt], dialog[open], .flash")) return true;
  const { activeElement: active } = document;
  const isField = active?.matches("input:not([type=radio], [type=checkbox]), textarea") ?? false;
  return isField && (active as HTMLInputElement).value !== "";
}
