/** The few icons (Lucide, ISC) that are drawn without React: in toasts and dialogs. */
const SVG = "http://www.w3.org/2000/svg";

const paths = {
  check: ["M20 6 9 17l-5-5"],
  info: ["M12 16v-4", "M12 8h.01", "M22 12a10 10 0 1 1-20 0 10 10 0 0 1 20 0z"],
  alert: ["M12 8v4", "M12 16h.01", "M22 12a10 10 0 1 1-20 0 10 10 0 0 1 20 0z"],
  x: ["M18 6 6 18", "m6 6 12 12"],
} as const;

export type DrawnIcon = keyof typeof paths;

export function drawIcon(name: DrawnIcon): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const d of paths[name]) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}
