import type { SharedTodosProps } from "./SharedTodos";

export { SharedTodos as Island } from "./SharedTodos";

/** Keeps what was typed into the form of the page. */
export function readServerForm(spot: HTMLElement, props: SharedTodosProps): void {
  props.draft = spot.querySelector<HTMLInputElement>("#id_title")?.value ?? "";
}
