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

export type Answer = Picture | "remove" | null;

type Question = {
  picture: Picture;
  /** The address under which the picture is shown in the dialog. */
  shown: string;
  /** Whether it is in the text already. */
  isEdited: boolean;
  onAnswer: (answer: Answer) => void;
};

/** Ask what a picture shows, its caption and its width. Closing the dialog answers null. */
function ask({ picture, shown, isEdited, onAnswer }: Question): void {
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
    alt.removeAttribute("aria-invalid");
    problem.textContent = "";
  };
  decorative.addEventListener("change", fit);
  alt.addEventListener("input", fit);
  fit();

  let answer: Answer = null;
  const end = (given: Answer): void => {
    answer = given;
    dialog.close();
  };
  const save = createButton("btn btn--primary", t("Save picture"));
  const other = isEdited
    ? createButton("btn btn--quiet", t("Remove from text"))
    : createButton("btn btn--quiet", t("Later"));
  const submit = (): void => {
    if (!decorative.checked && alt.value.trim() === "") {
      problem.textContent = t("Describe the picture, or mark it as decorative.");
      alt.setAttribute("aria-invalid", "true");
      alt.focus();
      return;
    }
    end({
      ...picture,
      alt: decorative.checked ? "" : alt.value,
      caption: caption.value,
      isDecorative: decorative.checked,
      width: width.value === "" ? null : Number(width.value),
    });
  };
  save.addEventListener("click", submit);
  other.addEventListener("click", () => end(isEdited ? "remove" : null));
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.isComposing || event.shiftKey) return;
    event.preventDefault();
    submit();
  };
  alt.addEventListener("keydown", onKey);
  caption.addEventListener("keydown", onKey);

  const image = element("img", "picture-dialog__shown");
  image.src = shown;
  image.alt = "";
  const box = element("label", "check", decorative, element("span", "", t("Decorative picture")));
  const dialog = openDialog({
    title: t("Picture"),
    className: "picture-dialog",
    body: [
      image,
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
    actions: [other, save],
    focus: alt.disabled ? decorative : alt,
    onClose: () => onAnswer(answer),
  });
}

/**
 * Open the dialog for the picture whose Markdown stands from `from` to `to`. Saving changes only that part, and only if
 * it is still there.
 */
export function editPicture(view: EditorView, from: number, to: number, picture: Picture): void {
  const source = view.state.sliceDoc(from, to);
  ask({
    picture,
    shown: picture.address,
    isEdited: true,
    onAnswer: (answer) => {
      view.focus();
      if (answer === null) return;
      const now = view.state.doc.toString();
      // The text may have changed around it meanwhile.
      const at = now.startsWith(source, from) ? from : now.indexOf(source);
      const insert = answer === "remove" ? "" : writePicture(answer);
      if (at >= 0)
        view.dispatch({
          changes: { from: at, to: at + source.length, insert },
          userEvent: "input",
        });
    },
  });
}

/** Ask what a picture shows that is being uploaded; null: it was not answered. */
export function describePicture(file: File): Promise<Picture | null> {
  const shown = URL.createObjectURL(file);
  return new Promise((resolve) =>
    ask({
      picture: { address: "", alt: "", caption: "", isDecorative: false, width: null },
      shown,
      isEdited: false,
      onAnswer: (answer) => {
        URL.revokeObjectURL(shown);
        resolve(answer === "remove" ? null : answer);
      },
    }),
  );
}
