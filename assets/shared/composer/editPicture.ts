/** The dialog of a picture in a text: what it shows, its caption and its width. */
import type { EditorView } from "@codemirror/view";

import { createButton, element, openDialog } from "../dialog";
import { type Picture, PICTURE_WIDTHS, writePicture } from "../editor/pictures";
import { t } from "../i18n";

let count = 0;

function labelled(label: string, control: HTMLElement, hint = ""): HTMLElement {
  control.id = `picture-field-${(count += 1)}`;
  const words = element("label", "field__label", label);
  words.htmlFor = control.id;
  const field = element("div", "field", words, control);
  if (hint !== "") {
    const said = element("p", "field__hint", hint);
    said.id = `${control.id}-h`;
    control.setAttribute("aria-describedby", said.id);
    field.append(said);
  }
  return field;
}

/**
 * Open the dialog for the picture whose Markdown stands from `from` to `to`. Saving changes only that part, and only if
 * it is still the same.
 */
export function editPicture(view: EditorView, from: number, to: number, picture: Picture): void {
  const source = view.state.sliceDoc(from, to);
  const alt = element("textarea", "textarea");
  alt.rows = 2;
  alt.maxLength = 500;
  alt.value = picture.alt;
  const decorative = element("input");
  decorative.type = "checkbox";
  decorative.checked = picture.isDecorative;
  const caption = element("input", "input");
  caption.maxLength = 300;
  caption.value = picture.caption;
  const width = element("select", "select");
  const own = new Option(t("Its own width"), "");
  width.append(own, ...PICTURE_WIDTHS.map((percent) => new Option(`${percent}%`, String(percent))));
  width.value = picture.width === null ? "" : String(picture.width);
  if (width.selectedIndex < 0) own.selected = true;

  const problem = element("p", "field__error");
  problem.setAttribute("role", "alert");
  const fit = (): void => {
    alt.disabled = decorative.checked;
    problem.textContent = "";
  };
  decorative.addEventListener("change", fit);
  alt.addEventListener("input", fit);
  fit();

  const save = createButton("btn btn--primary", t("Save picture"));
  const remove = createButton("btn btn--quiet", t("Remove from text"));
  const change = (insert: string): void => {
    const now = view.state.doc.toString();
    // The text may have changed around it meanwhile.
    const at = now.startsWith(source, from) ? from : now.indexOf(source);
    if (at >= 0)
      view.dispatch({ changes: { from: at, to: at + source.length, insert }, userEvent: "input" });
    dialog.close();
    view.focus();
  };
  save.addEventListener("click", () => {
    if (!decorative.checked && alt.value.trim() === "") {
      problem.textContent = t("Describe the picture, or mark it as decorative.");
      alt.focus();
      return;
    }
    change(
      writePicture({
        ...picture,
        alt: alt.value,
        caption: caption.value,
        isDecorative: decorative.checked,
        width: width.value === "" ? null : Number(width.value),
      }),
    );
  });
  remove.addEventListener("click", () => change(""));

  const box = element("label", "check", decorative, element("span", "", t("Decorative picture")));
  const dialog = openDialog({
    title: t("Picture"),
    body: [
      element(
        "div",
        "stack gap-4",
        labelled(
          t("Alternative text"),
          alt,
          t("What the picture shows, for people who can't see it. Short and exact."),
        ),
        problem,
        box,
        labelled(t("Caption"), caption, t("Optional. Shown below the picture.")),
        labelled(t("Width"), width),
      ),
    ],
    actions: [remove, save],
    focus: alt.disabled ? decorative : alt,
  });
}
