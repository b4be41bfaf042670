/** Which lessons files make: their order, kind and title. Pure, but for reading texts. */
import { bytes } from "../shared/format";
import { t } from "../shared/i18n";
import { makeError } from "../shared/api/errors";
import { pathOf } from "../shared/uploads/paths";

/** What the server takes; data of the outline. */
export type FileLimits = {
  /** Endings of names of videos, with their dots. */
  videoEndings: string[];
  /** The formats of videos, as they are called. */
  formats: string[];
  videoBytes: number;
  fileBytes: number;
  /** Characters of a lesson's text. */
  textLength: number;
};

export type PlannedLesson = {
  file: File;
  kind: "video" | "text" | "file";
  title: string;
  /** Why it cannot become a lesson; empty if it can. */
  problem: string;
};

/** A text of a lesson, with the title that it gives itself. */
export type ReadText = { title: string; body: string; isHtml: boolean };

const MAX_TITLE_CHARACTERS = 120;
/** Bytes of a text that are read: one of more cannot be within the characters of a lesson. */
const MAX_TEXT_BYTES = 2 ** 21;
const TEXT_ENDINGS = [".md", ".markdown", ".txt", ".html", ".htm"];
/** What systems put into folders by themselves. */
const BY_SYSTEMS = /^(\..*|thumbs\.db|desktop\.ini|__macosx)$/i;
const NUMBER_AHEAD = /^\s*(\d{1,4})(?:[.\-_]\d{1,4})*[\s.)\]_\-–—:]+(?=\S)/u;

const endingOf = (name: string): string => /.(\.[^.]{1,10})$/u.exec(name)?.[1]?.toLowerCase() ?? "";

/** The name without its ending, as words. */
function titleOfName(name: string, isNumbered: boolean): string {
  let title = name.normalize("NFC").replace(/(.)\.[^.]{1,10}$/u, "$1");
  if (isNumbered) title = title.replace(NUMBER_AHEAD, "");
  title = title.replaceAll("_", " ");
  // "what-a-coin-knows", but not "T-shirts for all".
  if (!/\s/u.test(title) && title.split("-").length > 2) title = title.replaceAll("-", " ");
  title = title.replace(/\s+/gu, " ").trim();
  const first = Array.from(title)[0] ?? "";
  return shorten(first.toLocaleUpperCase() + title.slice(first.length));
}

const shorten = (title: string): string =>
  Array.from(title).slice(0, MAX_TITLE_CHARACTERS).join("").trim();

const kindOf = (name: string, { videoEndings }: FileLimits): PlannedLesson["kind"] => {
  const ending = endingOf(name);
  if (videoEndings.includes(ending)) return "video";
  return TEXT_ENDINGS.includes(ending) ? "text" : "file";
};

function problemOf(file: File, kind: PlannedLesson["kind"], limits: FileLimits): string {
  if (file.size === 0) return makeError("FILE_EMPTY").message;
  if (file.type.startsWith("video/") && kind === "file")
    return makeError("UPLOAD_FORMAT_UNSUPPORTED", { formats: limits.formats.join(", ") }).message;
  const most = { video: limits.videoBytes, text: MAX_TEXT_BYTES, file: limits.fileBytes }[kind];
  if (file.size <= most) return "";
  return t("The file has {size}. At most {limit} are possible.", {
    size: bytes(file.size),
    limit: bytes(most),
  });
}

/**
 * The lessons that these files make, in the order of their names: "2" before "10", folder by folder. Numbers ahead of
 * the names are left out of the titles if all files have one: then they are only an order.
 */
export function planLessons(files: readonly File[], limits: FileLimits): PlannedLesson[] {
  const order = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  const pathWithName = (file: File): string => pathOf(file) || file.name;
  const isOfSystem = (file: File): boolean =>
    pathWithName(file)
      .split("/")
      .some((part) => BY_SYSTEMS.test(part));
  const sorted = files
    .filter((file) => !isOfSystem(file))
    .sort((one, other) => order.compare(pathWithName(one), pathWithName(other)));
  const isNumbered = sorted.length > 1 && sorted.every(({ name }) => NUMBER_AHEAD.test(name));
  return sorted.map((file) => {
    const kind = kindOf(file.name, limits);
    return {
      file,
      kind,
      title: titleOfName(file.name, isNumbered),
      problem: problemOf(file, kind, limits),
    };
  });
}

/** The characters of a file: UTF-8, UTF-16 with its mark, else the encoding of older Windows. */
function decode(read: ArrayBuffer): string {
  const [first, second] = new Uint8Array(read, 0, Math.min(2, read.byteLength));
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(read);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(read);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(read);
  } catch {
    return new TextDecoder("windows-1252").decode(read);
  }
}

/** Read a text, and take out the title that it gives itself: in its front matter, or as its first heading. */
export async function readText(file: File): Promise<ReadText> {
  const text = decode(await file.arrayBuffer()).replace(/\r\n?/gu, "\n");
  if (/^\.html?$/u.test(endingOf(file.name))) {
    const page = new DOMParser().parseFromString(text, "text/html");
    return { title: shorten(page.title.trim()), body: text, isHtml: true };
  }
  if (endingOf(file.name) === ".txt") return { title: "", body: text, isHtml: false };
  const front = /^---\n([\s\S]*?)\n---(?:\n|$)/u.exec(text);
  const named = /^title:[ \t]*(.+)$/mu.exec(front?.[1] ?? "")?.[1]?.trim() ?? "";
  const body = front ? text.slice(front[0].length) : text;
  const heading = /^\s*#[ \t]+(.+?)[ \t]*#*[ \t]*(?:\n|$)/u.exec(body);
  const title = named.replace(/^(["'])(.*)\1$/u, "$2") || (heading?.[1] ?? "");
  const isSaidAgain = heading !== null && (!named || heading[1] === title);
  return {
    title: shorten(title),
    body: isSaidAgain ? body.slice(heading[0].length).replace(/^\n+/u, "") : body,
    isHtml: false,
  };
}
