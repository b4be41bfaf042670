/** Replaces what `<main>` shows. */
import { announce } from "../../shared/announce";
import { restoreScroll } from "./scrolling";

type Shown = { title: string; look?: string; content: Node };

/** Show a page: its title, the classes of `<main>`, and its content (that of another element, or the element). */
export function showMain({ title, look = "", content }: Shown): HTMLElement {
  const main = document.querySelector<HTMLElement>("#main") ?? document.body;
  const site = document.title.split(" | ").at(-1) ?? "";
  document.title = site ? `${title} | ${site}` : title;
  main.className = look;
  document.querySelector(".top")?.classList.toggle("top--wide", main.matches(".page--wide"));
  const isWhole = content instanceof HTMLElement && content.matches("main");
  main.replaceChildren(...(isWhole ? content.childNodes : [content]));
  main.removeAttribute("aria-busy");
  // A page that comes from the server is read by its title; this one had none when it was opened.
  announce(title);
  restoreScroll();
  return main;
}
