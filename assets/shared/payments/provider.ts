/** The payment provider's script: loaded on pages that need it, and dressed like the page. */
import type { Appearance, Stripe } from "@stripe/stripe-js";
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

/** The look of the page for the fields in the provider's frame. */
export function pageAppearance(page: HTMLElement = document.documentElement): Appearance {
  const isDark = page.classList.contains("theme-dark");
  const look: Appearance = { theme: isDark ? "night" : "stripe", labels: "above" };
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!context) return look;
  const style = getComputedStyle(page);
  const color = (name: string): string => rgbOf(style.getPropertyValue(name).trim(), context);
  look.variables = {
    colorPrimary: color("--accent"),
    colorBackground: color("--surface"),
    colorText: color("--ink"),
    colorTextSecondary: color("--ink-3"),
    colorTextPlaceholder: color("--ink-3"),
    colorDanger: color("--error"),
    fontFamily: "system-ui, sans-serif",
    fontSizeBase: "16px",
    borderRadius: "4px",
    gridRowSpacing: "16px",
    gridColumnSpacing: "16px",
  };
  look.rules = {
    ".Input": { border: `1px solid ${color("--field-line")}`, boxShadow: "none" },
    ".Label": { fontWeight: "500" },
  };
  return look;
}

/** Calls `dress` when the page changes between light and dark, or its style. Returns what ends it. */
export function followAppearance(dress: (look: Appearance) => void): () => void {
  const page = document.documentElement;
  const observer = new MutationObserver(() => dress(pageAppearance(page)));
  observer.observe(page, { attributes: true, attributeFilter: ["class"] });
  return () => observer.disconnect();
}
