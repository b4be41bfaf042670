/**
 * Places that are held for files on their way. They move with what is written around them, and are no part of the text:
 * whatever is saved or sent meanwhile has no trace of them.
 */
import { type EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, WidgetType } from "@codemirror/view";

class HoldWidget extends WidgetType {
  constructor(
    readonly id: number,
    private readonly label: string,
  ) {
    super();
  }

  override eq(other: HoldWidget): boolean {
    return this.id === other.id;
  }

  override toDOM(): HTMLElement {
    const box = document.createElement("span");
    box.className = "ed-upload";
    box.textContent = this.label;
    return box;
  }
}

/** `at` is the place, in the text as it is now. */
type Held = { at: number; id: number; label: string };

const held = StateEffect.define<Held>({
  map: (value, changes) => ({ ...value, at: changes.mapPos(value.at, -1) }),
});
const released = StateEffect.define<number>();

const holds = StateField.define<readonly Held[]>({
  create: () => [],
  update: (before, { changes, effects }) => {
    const gone = effects.find((effect) => effect.is(released))?.value;
    // What is typed at a held place comes behind it; what fills a place comes before those that were held later.
    const moved = before
      .filter(({ id }) => id !== gone)
      .map((one) => {
        const isLater = gone !== undefined && one.id > gone;
        return { ...one, at: changes.mapPos(one.at, isLater ? 1 : -1) };
      });
    const added = effects.filter((effect) => effect.is(held)).map(({ value }) => value);
    return added.length > 0 || before.length > 0 ? [...moved, ...added] : before;
  },
  provide: (field) =>
    EditorView.decorations.from(field, (all) =>
      Decoration.set(
        all.map(({ at, id, label }) =>
          Decoration.widget({ widget: new HoldWidget(id, label), side: id - MAX_HOLDS }).range(at),
        ),
        true,
      ),
    ),
});
/** Widgets of one place stand in the order of their sides, which are negative: what is typed comes behind them. */
const MAX_HOLDS = 1_000_000;

export const holdPlaces: Extension = holds;

let count = 0;

/** Hold a place; answers its number. */
export function holdPlace(view: EditorView, at: number, label: string): number {
  const id = (count += 1);
  view.dispatch({ effects: held.of({ at, id, label }) });
  return id;
}

/** Where a held place is now; null if it was released. */
const placeOf = (state: EditorState, id: number): number | null =>
  state.field(holds).find((one) => one.id === id)?.at ?? null;

/** Put a text where a place was held, as one step that can be undone; "" only lets go of it. */
export function fillPlace(
  view: EditorView,
  id: number,
  write: (state: EditorState, at: number) => string,
): void {
  const at = placeOf(view.state, id);
  const insert = at === null ? "" : write(view.state, at);
  const changes = at === null || insert === "" ? [] : [{ from: at, insert }];
  const { state } = view;
  view.dispatch({
    changes,
    // A caret that still stands there comes behind what was inserted.
    selection: state.selection.map(state.changes(changes), 1),
    effects: released.of(id),
    ...(changes.length > 0 && { userEvent: "input.drop" }),
  });
}
