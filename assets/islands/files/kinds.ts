import type { IconName } from "../../shared/iconNames";

/** The icon of each kind of file, as on the page without scripts. */
export const kindIcons: Record<string, IconName> = {
  image: "image",
  pdf: "file-text",
  audio: "file-headphone",
  video: "film",
  text: "file-code",
  document: "file-text",
  sheet: "file-spreadsheet",
  slides: "presentation",
  archive: "file-archive",
  other: "file",
};

export const iconOf = (kind: string): IconName => kindIcons[kind] ?? "file";
