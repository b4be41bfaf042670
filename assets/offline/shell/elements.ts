/** Builds the parts of the shell's own pages. */
import type { IconName } from "../../shared/iconNames";
import { drawIcon } from "../../shared/icons";

type Attributes = Record<string, string | boolean>;

/** An element with attributes (false: left out) and children. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== false) made.setAttribute(key, value === true ? "" : value);
  made.append(...children);
  return made;
}

/** An icon with more classes than its own. */
export function makeIcon(name: IconName, look = ""): SVGSVGElement {
  const icon = drawIcon(name);
  if (look) icon.classList.add(...look.split(" "));
  return icon;
}

/** A notice as `components/notice.html` writes it. */
export function makeNotice(
  look: "info" | "warning" | "error",
  icon: IconName,
  title: string,
  body: string,
  ...acts: Node[]
): HTMLElement {
  const notice = make(
    "div",
    { class: `notice notice--${look}`, role: "status" },
    makeIcon(icon, "notice__icon"),
    make("p", { class: "notice__title" }, title),
    make("p", { class: "notice__body" }, body),
  );
  if (acts.length > 0) notice.append(make("div", { class: "notice__acts" }, ...acts));
  return notice;
}

/** A button that does something at once. */
export function makeButton(label: string, look: string, onPress: () => void): HTMLButtonElement {
  const button = make("button", { class: `btn ${look}`.trim(), type: "button" }, label);
  button.addEventListener("click", onPress);
  return button;
}

/** A button that does nothing without a connection, and says why. It can have the focus, so that the reason is heard. */
export function makeWaitingButton(label: string, reason: string): HTMLElement {
  const id = `waits-${String(document.querySelectorAll("[data-waits-for-connection]").length)}`;
  const button = make(
    "button",
    {
      class: "btn btn--sm",
      type: "button",
      "aria-disabled": "true",
      "aria-describedby": id,
      "data-waits-for-connection": true,
    },
    label,
  );
  return make(
    "span",
    { class: "row row--tight" },
    button,
    make("span", { class: "small faint", id }, reason),
  );
}
