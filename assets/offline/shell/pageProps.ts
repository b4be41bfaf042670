/** What the stored page of a lesson says, read from its HTML. */
import type { components } from "../../shared/api/schema.gen";
import type { LessonPackage } from "../types";

type Player = components["schemas"]["PlayerOut"];

const parsed = new WeakMap<LessonPackage, DocumentFragment>();

/** The page as elements that no document shows; not to be changed. */
export function contentOf(pack: LessonPackage): DocumentFragment {
  const known = parsed.get(pack);
  if (known) return known;
  const template = document.createElement("template");
  template.innerHTML = pack.page.html;
  parsed.set(pack, template.content);
  return template.content;
}

/** The JSON script after the mount point of an island. */
export function propsScriptOf(root: ParentNode, island: string): HTMLScriptElement | null {
  const next = root.querySelector(`[data-island="${island}"]`)?.nextElementSibling;
  return next instanceof HTMLScriptElement ? next : null;
}

/** The props of the player; null if the lesson has none. */
export function playerOf(pack: LessonPackage): Player | null {
  const script = propsScriptOf(contentOf(pack), "player");
  return script ? (JSON.parse(script.textContent) as Player) : null;
}

/** Seconds that it takes at least to read a text. */
export function waitOf(pack: LessonPackage): number {
  const end = contentOf(pack).querySelector<HTMLElement>("[data-reading-end]");
  return Number(end?.dataset.wait ?? 0);
}

/** Change the props of an island before it is mounted. */
export function patchProps<Props>(
  root: ParentNode,
  island: string,
  patch: (props: Props) => Props,
): void {
  const script = propsScriptOf(root, island);
  if (script) script.textContent = JSON.stringify(patch(JSON.parse(script.textContent) as Props));
}
