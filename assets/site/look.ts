/** Theme and style: how the page looks. Kept in storage, shown as classes on the page root. */

export const themes = ["light", "dark"] as const;
export const styles = ["academic", "corporate"] as const;

export type Theme = (typeof themes)[number];
export type Style = (typeof styles)[number];
export type Look = { theme: Theme; style: Style };

/** Told to the window when a person has chosen a look here. */
export const LOOK_CHOSEN = "study:look";

export const lookKeys = { theme: "study.theme", style: "study.style" } as const;

// The canvas of tokens.css, for the browser's own bars.
const colors: Record<Style, Record<Theme, string>> = {
  academic: { light: "#f7f7f2", dark: "#101714" },
  corporate: { light: "#f7f8fa", dark: "#0e1117" },
};

function stored(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // storage is blocked: the defaults hold
  }
}

function oneOf<T extends string>(values: readonly T[], value: string | null): T | undefined {
  return values.find((known) => known === value);
}

/** The stored look, else the system's preference, else light and academic. */
export function readLook(): Look {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  return {
    theme: oneOf(themes, stored(lookKeys.theme)) ?? system,
    style: oneOf(styles, stored(lookKeys.style)) ?? "academic",
  };
}

/** What was chosen here: no theme means the device's own. */
export function chosenLook(): { theme: Theme | ""; style: Style } {
  return { theme: oneOf(themes, stored(lookKeys.theme)) ?? "", style: readLook().style };
}

/** Put the look on the page root and in step with the browser's bars. */
export function applyLook({ theme, style }: Look): void {
  const { classList } = document.documentElement;
  for (const name of themes) classList.toggle(`theme-${name}`, name === theme);
  for (const name of styles) classList.toggle(`style-${name}`, name === style);
  const meta = document.querySelector<HTMLMetaElement>('meta[name="theme-color"]');
  if (meta) meta.content = colors[style][theme];
}

/** Keep a choice of the user and show it at once. */
export function chooseLook(choice: Partial<Look>): void {
  const look = { ...readLook(), ...choice };
  try {
    if (choice.theme) localStorage.setItem(lookKeys.theme, choice.theme);
    if (choice.style) localStorage.setItem(lookKeys.style, choice.style);
  } catch {
    // Storage is blocked: the choice holds for this page.
  }
  applyLook(look);
}

/** Back to the device's preference. */
export function forgetLook(kind: keyof Look): void {
  try {
    localStorage.removeItem(lookKeys[kind]);
  } catch {
    // Storage is blocked: there is nothing to forget.
  }
  applyLook(readLook());
}

/** Controls are inputs with `data-look="theme"` or `data-look="style"`, wherever they stand. */
function controls(): NodeListOf<HTMLInputElement> {
  return document.querySelectorAll<HTMLInputElement>("input[data-look]");
}

function showChoices({ theme, style }: ReturnType<typeof chosenLook>): void {
  for (const input of controls()) {
    input.checked = input.value === (input.dataset.look === "theme" ? theme : style);
  }
}

/** Wire the theme menus, and follow other tabs and the system. */
export function startLook(): void {
  const follow = (): void => {
    applyLook(readLook());
    showChoices(chosenLook());
  };
  follow();
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    const kind = target.dataset.look;
    const theme = kind === "theme" ? oneOf(themes, target.value) : undefined;
    const style = kind === "style" ? oneOf(styles, target.value) : undefined;
    if (kind === "theme" && target.value === "") forgetLook("theme");
    else if (theme || style) chooseLook({ ...(theme && { theme }), ...(style && { style }) });
    else return;
    showChoices({ ...chosenLook(), ...(theme && { theme }), ...(style && { style }) });
    dispatchEvent(new Event(LOOK_CHOSEN));
  });
  addEventListener("storage", ({ key }) => {
    if (key === null || key === lookKeys.theme || key === lookKeys.style) follow();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);
}
