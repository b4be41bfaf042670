/** What differs between the places of writing: where files go, and how the text will look. */
import { markdownOf } from "../editor/editing";
import type { Picture } from "../editor/pictures";
import { fetchPreview } from "./api";
import type { TriggerKind } from "./completion";

export type FileStore = {
  /** The target of the uploads. */
  target: string;
  /** Keeps an uploaded file with what is written; answers the Markdown that shows it, with what is known of it. */
  place: (file: File, upload: string, known: Partial<Picture>) => Promise<Placed>;
};

export type Placed = { markdown: string; isPicture: boolean };

/** Markdown with pictures that are not here yet: `address` stands for what the HTML had as `source`. */
export type Converted = {
  markdown: string;
  pictures: readonly { address: string; alt: string; source: string }[];
};

export type WritingPlace = {
  store: FileStore;
  /** The HTML that the text will have. Sanitized by the server. */
  preview: (source: string, signal?: AbortSignal) => Promise<string>;
  triggers: readonly TriggerKind[];
  /** Whether the page shows pictures with this address; others become links. */
  isOwnPicture: (address: string) => boolean;
  /** Whether the place has no blocks: one line with at most a picture. */
  isPhrasing: boolean;
  /** Where HTML from the clipboard becomes Markdown; null: only its text is pasted. */
  convert: ((html: string) => Promise<Converted>) | null;
};

/** Posts and messages: files go to the top of the writer's library, as `library_target` on the server. */
export const forumPlace: WritingPlace = {
  store: {
    target: "library",
    place: (file, upload) => {
      const markdown = markdownOf(file, upload);
      return Promise.resolve({ markdown, isPicture: markdown.startsWith("!") });
    },
  },
  preview: (source, signal) => fetchPreview(source, signal),
  triggers: ["person", "topic", "block"],
  isOwnPicture: (address) => address.startsWith("/forum/images/"),
  isPhrasing: false,
  convert: null,
};
