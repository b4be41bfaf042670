// Inlined in <head> and run before the first paint, so that the wrong theme never flashes.
import { recordEarlyInput } from "./site/islandStart";
import { showShortcutSetting } from "./shared/shortcuts";
import { applyAppearance, readAppearance } from "./shared/appearance";

const appearance = readAppearance();
applyAppearance(appearance);
showShortcutSetting();
showTheater();

// Preload the fonts of the first screen, which depend on the style that the user chose.
for (const href of document.currentScript?.dataset[appearance.style]?.split(" ") ?? []) {
  const link = Object.assign(document.createElement("link"), { rel: "preload", as: "font", href });
  link.type = "font/woff2";
  link.crossOrigin = "anonymous";
  document.head.append(link);
}

/** A video that takes the whole width must not grow once the player is there (islands/player/useTheater.ts). */
function showTheater(): void {
  try {
    if (localStorage.getItem("study.theater") === "on")
      document.documentElement.dataset.theater = "";
  } catch {
    // Storage is blocked.
  }
}

recordEarlyInput();
