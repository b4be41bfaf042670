/** The picture of a course: shows its crop of 16:9 while it is chosen with the sliders or by dragging. */
import { followDrag } from "../shared/drag";
import { maxZoom, overflowOf } from "../shared/pictureCrop";

/** Follow the form of the page. A picture that the browser cannot show is sent as it is. */
export function startCoursePicture(form: HTMLFormElement): void {
  const frame = form.querySelector<HTMLElement>("[data-frame]");
  const image = form.querySelector<HTMLImageElement>(".picture__img");
  const file = form.querySelector<HTMLInputElement>('input[type="file"]');
  const slider = (name: string): HTMLInputElement | null =>
    form.querySelector<HTMLInputElement>(`input[type="range"][name="${name}"]`);
  const [zoom, x, y] = [slider("zoom"), slider("x"), slider("y")];
  if (!frame || !image || !file || !zoom || !x || !y) return;
  const mostZoom = Number(zoom.max);
  const present = image.dataset.whole ?? "";

  const show = (): void => {
    const { naturalWidth: width, naturalHeight: height } = image;
    if (!width || !height) return;
    zoom.max = String(maxZoom(width, height, mostZoom));
    const overflow = overflowOf(width, height, Number(zoom.value) / 100);
    // A slider that has no room moves nothing.
    x.disabled = overflow.x < 0.005;
    y.disabled = overflow.y < 0.005;
    frame.style.setProperty("--crop-zoom", String(Number(zoom.value) / 100));
    frame.style.setProperty("--crop-x", `${x.value}%`);
    frame.style.setProperty("--crop-y", `${y.value}%`);
    for (const input of [zoom, x, y]) {
      const output = form.querySelector(`output[data-of="${input.name}"]`);
      if (output) output.textContent = `${input.value}%`;
    }
  };
  const setLive = (isLive: boolean): void => {
    frame.toggleAttribute("data-live", isLive);
    image.hidden = !isLive && !present;
    const artwork = frame.querySelector<HTMLElement>(".plate");
    if (artwork) artwork.hidden = isLive;
    const help = form.querySelector<HTMLElement>("[data-crop-help]");
    if (help) help.hidden = !isLive;
    // Without a picture there is nothing to crop.
    const controls = form.querySelector<HTMLElement>("[data-crop-controls]");
    if (controls) controls.hidden = !isLive && !present;
  };
  let address = "";
  const load = (source: string): void => {
    if (address) URL.revokeObjectURL(address);
    address = source.startsWith("blob:") ? source : "";
    image.src = source;
  };

  image.addEventListener("load", () => {
    setLive(true);
    show();
  });
  image.addEventListener("error", () => setLive(false));
  const showChosen = (): void => {
    const chosen = file.files?.[0];
    if (!chosen) {
      // The page came with the crop; to change it, the whole picture is needed.
      if (present) load(present);
      else setLive(false);
      return;
    }
    zoom.value = "100";
    x.value = y.value = "50";
    image.alt = "";
    load(URL.createObjectURL(chosen));
  };
  file.addEventListener("change", showChosen);
  for (const input of [zoom, x, y]) input.addEventListener("input", show);
  image.addEventListener("dragstart", (event) => event.preventDefault());
  image.addEventListener("pointerdown", (event) => {
    if (zoom.matches(":disabled")) return;
    const start = {
      x: Number(x.value),
      y: Number(y.value),
      left: event.clientX,
      top: event.clientY,
    };
    followDrag(image, event, {
      onMove: ({ clientX, clientY }) => {
        const box = frame.getBoundingClientRect();
        const overflow = overflowOf(
          image.naturalWidth,
          image.naturalHeight,
          Number(zoom.value) / 100,
        );
        const move = (from: number, way: number, side: number, room: number): string =>
          String(room < 0.005 ? from : Math.round(from - (100 * way) / (side * room)));
        x.value = move(start.x, clientX - start.left, box.width, overflow.x);
        y.value = move(start.y, clientY - start.top, box.height, overflow.y);
        show();
      },
      onEnd: () => undefined,
    });
  });
  showChosen(); // also a picture that was chosen before this script was loaded
}
