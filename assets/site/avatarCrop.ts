/** Cropping a picture to a square by dragging, zooming or the arrow keys. Sent with the form as fractions of the picture. */
import { createButton, element, openDialog } from "../shared/dialog";
import { followDrag } from "../shared/drag";

const VIEW = 288; // side of the visible square, in CSS pixels
const STEP = 8; // CSS pixels that an arrow key moves the picture

export type Place = { x: number; y: number; size: number };

/** The center of the crop in pixels of the picture, and the zoom: 1 shows the whole shorter side. */
export type Framing = { centerX: number; centerY: number; zoom: number };

/** The framing closest to `wanted` whose square lies inside a picture of this size; the zoom is 1 to 4. */
export function clampFraming(width: number, height: number, wanted: Framing): Framing {
  const zoom = Math.min(Math.max(wanted.zoom, 1), 4);
  const half = Math.min(width, height) / zoom / 2;
  const within = (value: number, most: number): number =>
    Math.min(Math.max(value, half), most - half);
  return { zoom, centerX: within(wanted.centerX, width), centerY: within(wanted.centerY, height) };
}

/** The square as the server reads it: x by the width, y by the height, size by the shorter side. */
export function placeOf(width: number, height: number, { centerX, centerY, zoom }: Framing): Place {
  const side = Math.min(width, height) / zoom;
  return { x: (centerX - side / 2) / width, y: (centerY - side / 2) / height, size: 1 / zoom };
}

/** Set a hidden field of the form, created if it is missing. */
function setHidden(form: HTMLFormElement, name: string, value: number): void {
  const input =
    form.querySelector<HTMLInputElement>(`input[name="${name}"]`) ??
    form.appendChild(Object.assign(document.createElement("input"), { type: "hidden", name }));
  input.value = value.toFixed(5);
}

/** Ask which part to use, then send the form. Escape and "Cancel" leave the current picture. */
function choose(
  form: HTMLFormElement,
  image: HTMLImageElement,
  onClose: (isSent: boolean) => void,
): void {
  let isSent = false;
  const texts = form.dataset;
  const view = element("canvas", "crop__view");
  view.width = view.height = VIEW * 2;
  view.tabIndex = 0;
  view.setAttribute("role", "img");
  view.setAttribute("aria-label", texts.cropHelp ?? "");
  const help = element("p", "small muted", texts.cropHelp ?? "");
  const range = { type: "range", min: "1", max: "4", step: "0.05", value: "1" };
  const zoom = Object.assign(element("input"), range);
  const label = element("label", "crop__zoom", texts.cropZoom ?? "", zoom);
  const cancel = createButton("btn btn--quiet", texts.cropCancel ?? "");
  const use = createButton("btn btn--primary", texts.cropSave ?? "");

  const { naturalWidth: width, naturalHeight: height } = image;
  let framing = clampFraming(width, height, { centerX: width / 2, centerY: height / 2, zoom: 1 });
  const draw = (): void => {
    const side = Math.min(width, height) / framing.zoom;
    const context = view.getContext("2d");
    context?.clearRect(0, 0, view.width, view.height);
    context?.drawImage(
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
    framing = clampFraming(width, height, {
      ...framing,
      centerX: framing.centerX - dx * scale,
      centerY: framing.centerY - dy * scale,
    });
    draw();
  };
  view.addEventListener("pointerdown", (event) =>
    followDrag(view, event, {
      onMove: ({ movementX, movementY }) => move(movementX, movementY),
      onEnd: () => undefined,
    }),
  );
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
    framing = clampFraming(width, height, { ...framing, zoom: Number(zoom.value) });
    draw();
  });
  draw();
  const dialog = openDialog({
    title: texts.cropTitle ?? "",
    className: "crop",
    body: [element("div", "crop__body", view, help, label)],
    actions: [cancel, use],
    focus: view,
    closesOutside: false,
    onClose: () => onClose(isSent),
  });
  cancel.addEventListener("click", () => dialog.close());
  use.addEventListener("click", () => {
    for (const [name, value] of Object.entries(placeOf(width, height, framing)))
      setHidden(form, name, value);
    isSent = true;
    dialog.close();
    form.requestSubmit();
  });
}

/** Crop a picture chosen in the form before it is sent. One that the browser cannot read is sent uncropped. */
export function startAvatarCrop(form: HTMLFormElement): void {
  const input = form.querySelector<HTMLInputElement>('input[type="file"]');
  if (!input) return;
  const crop = (): void => {
    const file = input.files?.[0];
    if (!file) return;
    const address = URL.createObjectURL(file);
    const image = new Image();
    const end = (): void => URL.revokeObjectURL(address);
    image.addEventListener("load", () =>
      choose(form, image, (isSent) => {
        end();
        // Without a value, choosing the same picture again is a change event.
        if (!isSent) input.value = "";
      }),
    );
    image.addEventListener("error", () => {
      end();
      form.requestSubmit();
    });
    image.src = address;
  };
  input.addEventListener("change", crop);
  crop(); // a picture that was chosen before this script was loaded
}
