/**
 * Which lesson each file is probably for, by its name, its folder and its number: "3-05 Rank.mp4", "03/05.mov" and
 * "Rank and nullity (final).mp4" are for lesson 3.5, "Rank and nullity". What is in doubt stays without a lesson.
 */
import type { VideoLesson } from "./api";

export type NamedFile = {
  name: string;
  /** "Week 3/05 Rank.mp4" if the file came with its folder, else "". */
  path: string;
};

/** Shares of a name that say the same: from 0 (nothing) to 1. */
const SAME_TITLE = 0.9;
const SIMILAR_TITLE = 0.6;
const SLIGHTLY_SIMILAR_TITLE = 0.25;
/** How sure a match by the number alone is, if the rest of the name is another one than the lesson's. */
const NUMBER_ALONE = 0.5;
const NUMBER_WITHOUT_TITLE = 0.8;
/** A match is in doubt if the next one is so near. */
const DOUBT = 0.05;
/** Longest label before a number: "Lesson 3.5", "Vorlesung 3-5". */
const MAX_LABEL_LETTERS = 12;
const SHORTEST_TITLE_LETTERS = 3;

type Named = {
  numbers: number[];
  /** What follows the numbers. */
  title: string;
  /** All of it: a title may begin with a number. */
  whole: string;
};

/** Letters and digits in one spelling: without case, accents and width. */
function fold(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLocaleLowerCase("en");
}

const partsOf = (text: string): string[] => fold(text).match(/\p{L}+|\p{Nd}+/gu) ?? [];
const isNumber = (part: string | undefined): boolean => /^\p{Nd}+$/u.test(part ?? "");

/** Digits of any script as a number. */
function numberOf(digits: string): number {
  return Number(
    Array.from(digits)
      .map((digit) => {
        const code = digit.codePointAt(0) ?? 0;
        let zero = code; // digits of a script are ten in a row
        while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
        return /^[0-9]$/.test(digit) ? digit : String(code - zero);
      })
      .join(""),
  );
}

/** The numbers that a name begins with, at most two, and what follows them. */
function readName(text: string): Named {
  const parts = partsOf(text);
  const numbers: number[] = [];
  let at = 0;
  while (at < parts.length && numbers.length < 2) {
    const part = parts[at] ?? "";
    if (isNumber(part)) numbers.push(numberOf(part));
    else if (!isNumber(parts[at + 1]) || part.length > MAX_LABEL_LETTERS) break;
    else if (at > 0 && numbers.length === 0) break; // words, and a number among them
    at += 1;
  }
  // A label is no part of the title, if a number follows it.
  return {
    numbers,
    title: parts.slice(numbers.length > 0 ? at : 0).join(""),
    whole: parts.join(""),
  };
}

const pairsOf = (text: string): string[] => {
  const letters = Array.from(text);
  return letters.slice(1).map((letter, at) => `${letters[at] ?? ""}${letter}`);
};

/** How much two names have in common, from 0 to 1: Dice's coefficient of their pairs of letters. */
export function similarityOf(one: string, other: string): number {
  if (one === other) return one === "" ? 0 : 1;
  const rest = new Map<string, number>();
  const first = pairsOf(one);
  const second = pairsOf(other);
  if (first.length === 0 || second.length === 0) return 0;
  for (const pair of first) rest.set(pair, (rest.get(pair) ?? 0) + 1);
  let shared = 0;
  for (const pair of second) {
    const left = rest.get(pair) ?? 0;
    if (left === 0) continue;
    rest.set(pair, left - 1);
    shared += 1;
  }
  return (2 * shared) / (first.length + second.length);
}

/** How well a title is found in a name that may say more: "rank-and-nullity-final-v2" has "Rank and nullity". */
function titleIn(name: string, title: string): number {
  if (title.length < SHORTEST_TITLE_LETTERS) return name === title && name !== "" ? 1 : 0;
  if (name.startsWith(title)) return Math.max(SAME_TITLE, similarityOf(name, title));
  return similarityOf(name, title);
}

function scoreOf(file: Named, folder: Named, lesson: VideoLesson): number {
  const [section = 0, place = 0] = lesson.number.split(".").map(Number);
  const wanted = partsOf(lesson.title).join("");
  const title = titleIn(file.title, wanted);
  const numbers =
    file.numbers.length === 1 && folder.numbers.length > 0
      ? [folder.numbers[0], file.numbers[0]]
      : file.numbers;
  const hasNumber = numbers.length === 2;
  if (hasNumber && numbers[0] === section && numbers[1] === place) {
    if (file.title.length < SHORTEST_TITLE_LETTERS) return NUMBER_WITHOUT_TITLE;
    return title >= SLIGHTLY_SIMILAR_TITLE ? 0.7 + 0.3 * title : NUMBER_ALONE;
  }
  const best = Math.max(title, titleIn(file.whole, wanted));
  const needed = hasNumber ? SAME_TITLE : SIMILAR_TITLE;
  return best >= needed ? (hasNumber ? 0.75 : 0.9) * best : 0;
}

const stemOf = (name: string): string => name.replace(/\.[^.]*$/, "");

/**
 * The lesson of each file, by its place in the list; files in doubt are left out. No lesson gets two files.
 * @param lessons those that could get a video, of all courses
 */
export function matchLessons(
  files: readonly NamedFile[],
  lessons: readonly VideoLesson[],
): Map<number, VideoLesson> {
  const read = files.map(({ name, path }) => {
    const folders = path.split("/").slice(0, -1);
    return { file: readName(stemOf(name)), folder: readName(folders.at(-1) ?? ""), folders };
  });
  const scores = read.flatMap(({ file, folder, folders }, at) =>
    lessons
      .map((lesson) => ({ at, lesson, score: scoreOf(file, folder, lesson), folders }))
      .filter(({ score }) => score > 0),
  );
  // Where several courses have such a lesson: that of the folder, or of the other files.
  const votes = new Map<string, number>();
  for (const { lesson, score } of scores)
    votes.set(lesson.course_title, (votes.get(lesson.course_title) ?? 0) + score);
  const named = (course: string, folders: string[]): boolean =>
    folders.some((folder) => titleIn(readName(folder).title, partsOf(course).join("")) >= 0.8);
  const mostVotes = Math.max(0, ...votes.values());
  const favorites = [...votes].filter(([, count]) => count >= mostVotes - DOUBT);
  const ranked = scores
    .map((one) => ({
      ...one,
      score:
        one.score +
        (named(one.lesson.course_title, one.folders) ? 0.4 : 0) +
        (favorites.length === 1 && favorites[0]?.[0] === one.lesson.course_title ? 0.1 : 0),
    }))
    .sort((one, other) => other.score - one.score);

  const found = new Map<number, VideoLesson>();
  const taken = new Set<string>();
  for (const { at, lesson, score } of ranked) {
    if (found.has(at) || taken.has(lesson.uid)) continue;
    const isInDoubt = ranked.some(
      (other) =>
        (other.at === at) !== (other.lesson.uid === lesson.uid) &&
        !found.has(other.at) &&
        !taken.has(other.lesson.uid) &&
        other.score > score - DOUBT,
    );
    if (isInDoubt) continue;
    found.set(at, lesson);
    taken.add(lesson.uid);
  }
  return found;
}
