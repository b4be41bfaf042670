/** The payment provider's script: loaded on pages that need it, and dressed like the page. */
import type { Appearance, CustomFontSource, Stripe } from "@stripe/stripe-js";
import { loadStripe } from "@stripe/stripe-js/pure";

/** `script`: the address of the stand-in's script; empty for the provider itself. */
export type ProviderProps = { key: string; script: string };

function loadScript(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error(`${address} could not be loaded`));
    };
    document.head.append(script);
  });
}

/** The provider's script, ready to use. Rejects if it can't be loaded or started; it may be called again. */
export async function loadProvider({ key, script }: ProviderProps): Promise<Stripe> {
  // loadStripe takes an existing window.Stripe instead of loading the provider's script.
  if (script !== "" && !("Stripe" in window)) await loadScript(script);
  const provider = await loadStripe(key, { locale: "en" });
  if (!provider) throw new Error("The payment provider did not start");
  return provider;
}

/** A color of the page as rgb(), the notation that the provider's frame understands. */
function rgbOf(color: string, context: CanvasRenderingContext2D): string {
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
  return `rgb(${red}, ${green}, ${blue})`;
}

const LINE = 1.4;

/** How the page's own fields look, in pixels: measured on one that is never shown. */
function fieldOf(page: HTMLElement) {
  const label = document.createElement("label");
  label.className = "field__label";
  const input = document.createElement("input");
  input.className = "input";
  label.append(input);
  label.hidden = true;
  (page.querySelector("body") ?? page).append(label);
  const style = getComputedStyle(input);
  const { fontSize, borderTopLeftRadius: radius } = style;
  const labelSize = getComputedStyle(label).fontSize;
  const free = parseFloat(style.minHeight) - 2 - LINE * parseFloat(fontSize);
  label.remove();
  return { fontSize, labelSize, radius, padding: Math.max(Math.round(free / 2), 6) };
}

/** The look of the page for the fields in the provider's frame. */
export function pageAppearance(page: HTMLElement = document.documentElement): Appearance {
  const isDark = page.classList.contains("theme-dark");
  const look: Appearance = { theme: isDark ? "night" : "stripe", labels: "above" };
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!context) return look;
  const style = getComputedStyle(page);
  const color = (name: string): string => rgbOf(style.getPropertyValue(name).trim(), context);
  const field = fieldOf(page);
  look.variables = {
    colorPrimary: color("--accent"),
    colorBackground: color("--surface"),
    colorText: color("--ink"),
    colorTextSecondary: color("--ink-3"),
    colorTextPlaceholder: color("--ink-3"),
    colorDanger: color("--error"),
    fontFamily: style.getPropertyValue("--font-ui").trim(),
    fontSizeBase: field.fontSize,
    borderRadius: field.radius,
    gridRowSpacing: "16px",
    gridColumnSpacing: "16px",
  };
  look.rules = {
    ".Input": {
      border: `1px solid ${color("--field-line")}`,
      boxShadow: "none",
      fontFamily: style.getPropertyValue("--font-mono").trim(),
      lineHeight: `${LINE}`,
      padding: `${field.padding}px 13px`,
    },
    ".Input--invalid": {
      border: `1px solid ${color("--error")}`,
      boxShadow: `inset 0 0 0 1px ${color("--error")}`,
    },
    ".Label": { fontSize: field.labelSize, fontWeight: "500" },
  };
  return look;
}

const STYLES = ["style-academic", "style-corporate"];

/** The first family of a list of fonts, without quotes. */
const firstFamily = (list: string): string =>
  (list.split(",")[0] ?? "").trim().replace(/^["']|["']$/g, "");

/** The families of the fields' labels and digits, in both styles: the user may change the style at any time. */
function fieldFamilies(): Set<string> {
  const found = new Set<string>();
  for (const name of STYLES) {
    const probe = document.createElement("div");
    probe.className = name;
    probe.hidden = true;
    document.body.append(probe);
    const style = getComputedStyle(probe);
    for (const font of ["--font-ui", "--font-mono"])
      found.add(firstFamily(style.getPropertyValue(font)));
    probe.remove();
  }
  return found;
}

/** The page's fonts that the fields in the provider's frame need; the frame loads them from this site. */
export function pageFonts(): CustomFontSource[] {
  const families = fieldFamilies();
  const sheets = [...document.styleSheets].filter(({ href }) => href?.startsWith(location.origin));
  return sheets.flatMap((sheet) =>
    [...sheet.cssRules].flatMap((rule) => {
      if (!(rule instanceof CSSFontFaceRule)) return [];
      const { style } = rule;
      const family = firstFamily(style.getPropertyValue("font-family"));
      const file = /url\(["']?([^"')]+)["']?\)/.exec(style.getPropertyValue("src"))?.[1];
      const isUpright = style.getPropertyValue("font-style") !== "italic";
      if (!file || !isUpright || !families.has(family)) return [];
      return [
        {
          family,
          src: `url(${new URL(file, sheet.href ?? location.href).href})`,
          weight: style.getPropertyValue("font-weight"),
          unicodeRange: style.getPropertyValue("unicode-range"),
        },
      ];
    }),
  );
}

/** Calls `dress` when the page changes between light and dark, or its style. Returns what ends it. */
export function followAppearance(dress: (look: Appearance) => void): () => void {
  const page = document.documentElement;
  const observer = new MutationObserver(() => dress(pageAppearance(page)));
  observer.observe(page, { attributes: true, attributeFilter: ["class"] });
  return () => observer.disconnect();
}
