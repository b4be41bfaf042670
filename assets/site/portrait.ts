/** Choosing the square of a picture: drag, zoom, or the arrow keys; sent along as fractions of the picture. */

const VIEW = 288; // CSS pixels of the square one looks through
const STEP = 8;

export type Place = { x: number; y: number; size: number };

/** Where the middle of the view lies in the picture, and how much of its shorter side is seen. */
export type Framing = { centerX: number; centerY: number; zoom: number };

/** The framing kept so that no edge of the picture comes inside the square. */
export function framed(width: number, height: number, wish: Framing): Framing {
  const zoom = Math.min(Math.max(wish.zoom, 1), 4);
  const half = Math.min(width, height) / zoom / 2;
  const within = (value: number, most: number): number =>
    Math.min(Math.max(value, half), most - half);
  return { zoom, centerX: within(wish.centerX, width), centerY: within(wish.centerY, height) };
}

/** The square as the server reads it: left and top by width and height, side by the shorter one. */
export function placeOf(width: number, height: number, { centerX, centerY, zoom }: Framing): Place {
  const side = Math.min(width, height) / zoom;
  return { x: (centerX - side / 2) / width, y: (centerY - side / 2) / height, size: 1 / zoom };
}

function hidden(form: HTMLFormElement, name: string, value: number): void {
  const input =
    form.querySelector<HTMLInputElement>(`input[name="${name}"]`) ??
    form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name }));
  input.value = value.toFixed(5);
}

/** Ask which part to keep, then send the form; Escape and "Cancel" keep the old picture. */
function choose(
  form: HTMLFormElement,
  image: HTMLImageElement,
  done: (isSent: boolean) => void,
): void {
  let isSent = false;
  const words = form.dataset;
  const dialog = document.createElement("dialog");
  dialog.className = "dialog crop";
  dialog.setAttribute("aria-labelledby", "crop-title");
  const heading = document.createElement("h2");
  heading.className = "h4 dialog__head";
  heading.id = "crop-title";
  heading.textContent = words.portraitTitle ?? "";

  const view = document.createElement("canvas");
  view.className = "crop__view";
  view.width = view.height = VIEW * 2;
  view.tabIndex = 0;
  view.setAttribute("role", "img");
  view.setAttribute("aria-label", words.portraitHelp ?? "");
  const help = document.createElement("p");
  help.className = "small muted";
  help.textContent = words.portraitHelp ?? "";
  const label = document.createElement("label");
  label.className = "crop__zoom";
  label.textContent = words.portraitZoom ?? "";
  const zoom = Object.assign(document.createElement("input"), {
    type: "range",
    min: "1",
    max: "4",
    step: "0.05",
    value: "1",
  });
  label.append(zoom);
  const body = document.createElement("div");
  body.className = "dialog__body crop__body";
  body.append(view, help, label);

  const acts = document.createElement("div");
  acts.className = "dialog__acts";
  const keep = Object.assign(document.createElement("button"), {
    type: "button",
    className: "btn btn--quiet",
    textContent: words.portraitKeep ?? "",
  });
  const use = Object.assign(document.createElement("button"), {
    type: "button",
    className: "btn btn--primary",
    textContent: words.portraitSave ?? "",
  });
  acts.append(keep, use);
  dialog.append(heading, body, acts);

  const { naturalWidth: width, naturalHeight: height } = image;
  let framing = framed(width, height, { centerX: width / 2, centerY: height / 2, zoom: 1 });
  const draw = (): void => {
    const side = Math.min(width, height) / framing.zoom;
    const pen = view.getContext("2d");
    pen?.clearRect(0, 0, view.width, view.height);
    pen?.drawImage(
      image,
      framing.centerX - side / 2,
      framing.centerY - side / 2,
      side,
      side,
      0,
      0,
      view.width,
      view.height,
    );
  };
  const move = (dx: number, dy: number): void => {
    const scale = Math.min(width, height) / framing.zoom / VIEW;
    framing = framed(width, height, {
      ...framing,
      centerX: framing.centerX - dx * scale,
      centerY: framing.centerY - dy * scale,
    });
    draw();
  };
  view.addEventListener("pointerdown", ({ pointerId }) => view.setPointerCapture(pointerId));
  view.addEventListener("pointermove", ({ buttons, movementX, movementY }) => {
    if (buttons & 1) move(movementX, movementY);
  });
  view.addEventListener("keydown", (event) => {
    const steps: Record<string, [number, number]> = {
      ArrowLeft: [STEP, 0],
      ArrowRight: [-STEP, 0],
      ArrowUp: [0, STEP],
      ArrowDown: [0, -STEP],
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    move(...step);
  });
  zoom.addEventListener("input", () => {
    framing = framed(width, height, { ...framing, zoom: Number(zoom.value) });
    draw();
  });
  keep.addEventListener("click", () => dialog.close());
  use.addEventListener("click", () => {
    for (const [name, value] of Object.entries(placeOf(width, height, framing)))
      hidden(form, name, value);
    isSent = true;
    dialog.close();
    form.requestSubmit();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    done(isSent);
  });
  document.body.append(dialog);
  draw();
  dialog.showModal();
  view.focus();
}

/** A picture chosen in the form is framed before it is sent; one the browser cannot read goes to the server as it is. */
export function startPortrait(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>('input[type="file"]');
  input?.addEventListener("change", () => {
    const file = input.files?.[0];
    if (!file) return;
    const address = URL.createObjectURL(file);
    const image = new Image();
    const end = (): void => URL.revokeObjectURL(address);
    image.addEventListener("load", () =>
      choose(form, image, (isSent) => {
        end();
        // So that the same picture can be chosen again: only what differs is a change.
        if (!isSent) input.value = "";
      }),
    );
    image.addEventListener("error", () => {
      end();
      form.requestSubmit();
    });
    image.src = address;
  });
}
