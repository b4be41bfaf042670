// Runs as text in <head>, before the first paint, so that the wrong theme never flashes.
import { keepEarly } from "./site/early";
import { showSetting } from "./shared/keys";
import { applyLook, readLook } from "./site/look";

const look = readLook();
applyLook(look);
showSetting();

// Which faces the first screen needs is known here and nowhere sooner: the style is the reader's.
for (const href of document.currentScript?.dataset[look.style]?.split(" ") ?? []) {
  const link = Object.assign(document.createElement("link"), { rel: "preload", as: "font", href });
  link.type = "font/woff2";
  link.crossOrigin = "anonymous";
  document.head.append(link);
}

keepEarly();
