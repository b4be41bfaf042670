/** What the menu behind "/" inserts. */
import { t } from "../i18n";
import type { IconName } from "../iconNames";
import {
  callout,
  calloutKinds,
  type Edit,
  editOf,
  insertBlock,
  type Selection,
  type Tool,
} from "./editing";

export type Block = {
  id: string;
  icon: IconName;
  label: string;
  /** How it is typed. */
  hint: string;
  /** Further words by which it is found. */
  words: string;
  /** What it does to the text, once "/" and the query are taken away; null: it opens the choice of files. */
  edit: ((selection: Selection) => Edit) | null;
};

const startLine =
  (prefix: string) =>
  ({ text, start, end }: Selection): Edit => {
    const from = text.lastIndexOf("\n", start - 1) + 1;
    const place = (at: number): number => at + prefix.length;
    return { from, to: from, insert: prefix, start: place(start), end: place(end) };
  };

const fenced =
  (fence: string) =>
  (selection: Selection): Edit =>
    insertBlock(selection, `${fence}\n\n${fence}`, {
      from: fence.length + 1,
      to: fence.length + 1,
    });

/** The blocks in the order of the menu. */
export function listBlocks(): Block[] {
  const callouts: Record<(typeof calloutKinds)[number], [string, IconName]> = {
    NOTE: [t("Note"), "info"],
    TIP: [t("Tip"), "lightbulb"],
    IMPORTANT: [t("Important"), "circle-alert"],
    WARNING: [t("Warning"), "triangle-alert"],
    CAUTION: [t("Caution"), "octagon-alert"],
  };
  return [
    {
      id: "heading",
      icon: "heading-2",
      label: t("Heading"),
      hint: "##",
      words: "h2 title",
      edit: startLine("## "),
    },
    {
      id: "subheading",
      icon: "heading-3",
      label: t("Subheading"),
      hint: "###",
      words: "h3",
      edit: startLine("### "),
    },
    {
      id: "list",
      icon: "list",
      label: t("List"),
      hint: "-",
      words: "bullet ul",
      edit: startLine("- "),
    },
    {
      id: "numbers",
      icon: "list-ordered",
      label: t("Numbered list"),
      hint: "1.",
      words: "ol steps",
      edit: startLine("1. "),
    },
    {
      id: "picture",
      icon: "image-plus",
      label: t("Picture or file"),
      hint: "",
      words: "image photo upload attachment",
      edit: null,
    },
    {
      id: "table",
      icon: "table",
      label: t("Table"),
      hint: "|",
      words: "grid columns",
      edit: (selection) => editOf("table", selection),
    },
    {
      id: "formula",
      icon: "sigma",
      label: t("Formula"),
      hint: "$$",
      words: "math tex latex equation",
      edit: fenced("$$"),
    },
    {
      id: "code",
      icon: "code",
      label: t("Code"),
      hint: "```",
      words: "program",
      edit: fenced("```"),
    },
    {
      id: "quote",
      icon: "text-quote",
      label: t("Quote"),
      hint: ">",
      words: "citation",
      edit: startLine("> "),
    },
    ...calloutKinds.map((kind) => {
      const [label, icon] = callouts[kind];
      return {
        id: kind.toLowerCase(),
        icon,
        label,
        hint: `> [!${kind}]`,
        words: "callout box",
        edit: (selection: Selection) => callout(selection, kind),
      };
    }),
    {
      id: "divider",
      icon: "minus",
      label: t("Divider"),
      hint: "---",
      words: "rule line hr",
      edit: (selection) => insertBlock(selection, "---\n\n"),
    },
  ];
}

/** What stands within a line, for places without blocks. */
export function listPhrases(): Block[] {
  const tools: Partial<Record<string, [Tool, string]>> = {
    formula: ["formula", "$"],
    code: ["code", "`"],
  };
  return listBlocks().flatMap((block) => {
    const [tool, hint] = tools[block.id] ?? [];
    if (tool) return { ...block, hint: hint ?? "", edit: (at: Selection) => editOf(tool, at) };
    return block.id === "picture" ? block : [];
  });
}

/** Blocks with a word that begins with the query; those whose label does come first. */
export function findBlocks(blocks: readonly Block[], query: string): Block[] {
  const wanted = query.toLocaleLowerCase();
  const begins = (text: string): boolean =>
    text
      .toLocaleLowerCase()
      .split(/[\s/]+/)
      .some((word) => word.startsWith(wanted));
  const named = blocks.filter(({ label }) => begins(label));
  return [...named, ...blocks.filter((one) => !named.includes(one) && begins(one.words))];
}
