/** Icons (Lucide, ISC) of scripts and islands: symbols of the sprite that the page's own icons come from. */
import type { IconName } from "./iconNames";

const SVG = "http://www.w3.org/2000/svg";

/** The address of an icon in the page's sprite. Every page has an icon, so its sprite is known and loaded. */
export function iconAddress(name: IconName): string {
  const used = document.querySelector('use[href*=".svg#"]')?.getAttribute("href") ?? "";
  return `${used.split("#")[0] ?? ""}#${name}`;
}

/** A decorative icon for a part of the page that is built without React. */
export function drawIcon(name: IconName): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", iconAddress(name));
  svg.append(use);
  return svg;
}
