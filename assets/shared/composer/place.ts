/** The parts of the server's form that the island uses. The textarea stays the same element, with all that was typed. */
export type Place = {
  field: HTMLTextAreaElement;
  form: HTMLFormElement | null;
  /** Where the island draws: see templates/forum/_composer.html. */
  views: HTMLElement;
  preview: HTMLElement;
  list: HTMLElement;
  count: HTMLElement;
  status: HTMLElement;
  uploads: HTMLElement;
  /** The name of the draft in the browser's storage; "" without one. */
  draft: string;
};

export function findPlace(spot: HTMLElement): Place {
  const root = spot.closest<HTMLElement>("[data-composer]");
  if (!root) throw new Error("The mount point is in no composer");
  return placeIn(root);
}

/** The parts within a composer (templates/components/editor.html, ContentEditor.tsx). */
export function placeIn(root: HTMLElement): Place {
  const field = root.querySelector("textarea");
  if (!field) throw new Error("The composer has no textarea");
  const part = (name: string): HTMLElement => {
    const found = root.querySelector<HTMLElement>(`[data-composer-part="${name}"]`);
    if (!found) throw new Error(`The composer has no part “${name}”`);
    return found;
  };
  return {
    field,
    form: field.form,
    views: part("views"),
    preview: part("preview"),
    list: part("list"),
    count: part("count"),
    status: part("status"),
    uploads: part("uploads"),
    draft: draftOf(root, field),
  };
}

/** "study.draft:<user>:topic-42"; behind a name that ends with a colon come the form's address and the field. "": no draft. */
function draftOf(root: HTMLElement, field: HTMLTextAreaElement): string {
  const name = root.dataset.draft ?? "";
  if (!name.endsWith(":") || !field.form) return name;
  if ("lessonForm" in field.form.dataset) return ""; // it saves by itself, and keeps what is not saved yet
  return `${name}${new URL(field.form.action).pathname}:${field.name}`;
}
