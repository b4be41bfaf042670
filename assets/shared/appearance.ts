/** Theme and style. Stored in local storage, applied as classes of the root element. */

export const themes = ["light", "dark"] as const;
export const styles = ["academic", "corporate"] as const;

export type Theme = (typeof themes)[number];
export type Style = (typeof styles)[number];
export type Appearance = { theme: Theme; style: Style };

/** Event on the window after the user has chosen a theme or style on this page. */
export const APPEARANCE_CHOSEN = "study:look";

export const storageKeys = { theme: "study.theme", style: "study.style" } as const;

// The canvas colors of tokens.css, for the toolbar of the browser.
const colors: Record<Style, Record<Theme, string>> = {
  academic: { light: "#f7f7f2", dark: "#101714" },
  corporate: { light: "#f7f8fa", dark: "#0e1117" },
};

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is blocked: use the defaults
  }
}

function oneOf<T extends string>(values: readonly T[], value: string | null): T | undefined {
  return values.find((known) => known === value);
}

/** The stored appearance, else the preference of the system, else light and academic. */
export function readAppearance(): Appearance {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  return {
    theme: oneOf(themes, stored(storageKeys.theme)) ?? system,
    style: oneOf(styles, stored(storageKeys.style)) ?? "academic",
  };
}

/** What was chosen in this browser; an empty theme means that of the device. */
export function chosenAppearance(): { theme: Theme | ""; style: Style } {
  return { theme: oneOf(themes, stored(storageKeys.theme)) ?? "", style: readAppearance().style };
}

/** Set the classes of the root element and the color of the browser toolbar. */
export function applyAppearance({ theme, style }: Appearance): void {
  const { classList } = document.documentElement;
  for (const name of themes) classList.toggle(`theme-${name}`, name === theme);
  for (const name of styles) classList.toggle(`style-${name}`, name === style);
  const meta = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]');
  if (meta) meta.content = colors[style][theme];
}

/** Store a choice of the user and apply it. */
export function chooseAppearance(choice: Partial<Appearance>): void {
  const appearance = { ...readAppearance(), ...choice };
  try {
    if (choice.theme) localStorage.setItem(storageKeys.theme, choice.theme);
    if (choice.style) localStorage.setItem(storageKeys.style, choice.style);
  } catch {
    // Storage is blocked: the choice applies to this page only.
  }
  applyAppearance(appearance);
}

/** Return to the preference of the device. */
export function resetAppearance(kind: keyof Appearance): void {
  try {
    localStorage.removeItem(storageKeys[kind]);
  } catch {
    // Storage is blocked: there is nothing to remove.
  }
  applyAppearance(readAppearance());
}

/** Inputs with `data-look="theme"` or `data-look="style"`, anywhere on the page. */
function controls(): NodeListOf<HTMLInputElement> {
  return document.querySelectorAll<HTMLInputElement>("input[data-look]");
}

function showChoices({ theme, style }: ReturnType<typeof chosenAppearance>): void {
  for (const input of controls()) {
    input.checked = input.value === (input.dataset.look === "theme" ? theme : style);
  }
}

/** Connect the controls, and follow other tabs and the system. */
export function startAppearance(): void {
  const follow = (): void => {
    applyAppearance(readAppearance());
    showChoices(chosenAppearance());
  };
  follow();
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const kind = target.dataset.look;
    const theme = kind === "theme" ? oneOf(themes, target.value) : undefined;
    const style = kind === "style" ? oneOf(styles, target.value) : undefined;
    if (kind === "theme" && target.value === "") resetAppearance("theme");
    else if (theme || style) chooseAppearance({ ...(theme && { theme }), ...(style && { style }) });
    else return;
    showChoices({ ...chosenAppearance(), ...(theme && { theme }), ...(style && { style }) });
    dispatchEvent(new Event(APPEARANCE_CHOSEN));
  });
  addEventListener("storage", ({ key }) => {
    if (key === null || key === storageKeys.theme || key === storageKeys.style) follow();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);
}
