/** "Reply" below a post leads to the field without a new page, and others see that someone writes. */

const WRITING_GAP_MS = 2_500;

/** Start the form of a reply. Returns what makes it a reply to the post of a link. */
export function startReplying(
  form: HTMLFormElement | null,
  onWriting: () => boolean,
): (link: HTMLAnchorElement) => void {
  const target = form?.querySelector<HTMLInputElement>("input[name=reply_to]");
  const line = form?.querySelector<HTMLElement>("[data-reply-line]");
  if (!form || !target) return (link) => location.assign(link.href);
  let saidAt = 0;

  const answer = (post: string, name: string): void => {
    target.value = post;
    const who = line?.querySelector("b");
    if (who) who.textContent = name;
    if (line) line.hidden = !post;
    form.scrollIntoView({ block: "nearest" });
    form.querySelector<HTMLElement>("textarea")?.focus();
  };
  line?.querySelector("a")?.addEventListener("click", (event) => {
    event.preventDefault();
    answer("", "");
  });
  form.addEventListener("input", ({ target: field }) => {
    if (!(field instanceof HTMLTextAreaElement) || Date.now() - saidAt < WRITING_GAP_MS) return;
    if (onWriting()) saidAt = Date.now(); // otherwise with the next letter: the socket is still opening
  });
  return (link) => {
    const name = link.closest(".post")?.querySelector(".post__who")?.textContent ?? "";
    answer(link.dataset.reply ?? "", name);
  };
}
