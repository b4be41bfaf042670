import type { TodoListProps } from "./TodoList";

export { TodoList as Island } from "./TodoList";

/** Keeps what was typed into the form of the page. */
export function readServerForm(spot: HTMLElement, props: TodoListProps): void {
  props.draft = spot.querySelector<HTMLInputElement>("#id_title")?.value ?? "";
}
