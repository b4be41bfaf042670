/** What the API says about chats (/api/v1/tutor/). */
export type State = "waiting" | "streaming" | "finished" | "stopped" | "interrupted" | "failed";
export type Mode = "ask" | "explain" | "hint" | "quiz" | "summary" | "cards" | "plan";

export type CourseLink = { slug: string; title: string };
export type LessonLink = CourseLink;

export type Citation = {
  number: number;
  course: CourseLink;
  lesson: { uid: string; slug: string; title: string; number: string } | null;
  heading: string;
  text: string;
  second: number | null;
  url: string | null;
  can_open: boolean;
};

/** The fields of an error that a page shows (problem details). */
export type Failure = {
  code: string;
  title: string;
  detail: string;
  params: Record<string, unknown>;
};

export type Answer = {
  uid: string;
  number: number;
  state: State;
  /** "": from the course; "outside": a model answered without support by the course. */
  kind: string;
  text: string;
  /** The text as safe HTML, with its citations as links. */
  html: string;
  /** Why the text is withheld now (the HTML says it too); otherwise "". */
  withheld?: string;
  /** Why there is no answer; also of a question that the tutor refuses. */
  error: Failure | null;
  /** What is said below the text, such as that it was stopped; often "". */
  note: string;
  provider: string;
  is_search: boolean;
  rating: 1 | -1 | null;
  citations: Citation[];
  cards: { front: string; back: string }[];
  follow_ups: string[];
};

export type Exchange = {
  uid: string;
  position: number;
  question: string;
  mode: Mode;
  lesson: LessonLink | null;
  second: number | null;
  created_at: string;
  answers: Answer[];
};

export type ChatRow = {
  uid: string;
  title: string;
  course: CourseLink | null;
  lesson: LessonLink | null;
  changed_at: string;
};

export type Chat = ChatRow & { exchanges: Exchange[]; has_earlier: boolean };

export type ChatList = { results: ChatRow[]; next: string | null };

export type Limit = { left: number; of: number };
export type TutorStatus = {
  status: "online" | "offline" | "error";
  provider: string;
  name: string;
  is_search: boolean;
  retry_after: number | null;
  limits: { hour: Limit; day: Limit } | null;
  /** Code points of a question. */
  max_question_length: number;
};

export type Suggestion = { text: string; mode: Mode };

/** What a question is asked with. */
export type Asking = {
  question: string;
  mode: Mode;
  key: string;
  /** Slug of the lesson whose second is asked about. */
  lesson?: string | null;
  second?: number | null;
};

/** How the tutor is after an answer, as the socket says it; for those that were fetched. */
export function statusAfter({ error }: Answer): string {
  if (error?.code === "AI_UNAVAILABLE") return "offline";
  return error?.code === "AI_OVERLOADED" || error?.code === "AI_TECHNICAL_ERROR"
    ? "error"
    : "online";
}

/** How many characters (code points, as the server counts) a question has. */
export const lengthOf = (question: string): number => Array.from(question.trim()).length;

/** Whether an answer may still change by itself. */
export function isOpen({ state }: Answer): boolean {
  return state === "waiting" || state === "streaming";
}
