import { expect, it } from "vitest";

import type { Question } from "../../shared/questions/types";
import { linesOf } from "./answers";

const options = [
  { id: "a", html: "<em>Normal</em>" },
  { id: "b", html: "Reverse" },
];

function ask(values: Partial<Question>): Question {
  return {
    uid: "q",
    kind: "single",
    prompt_html: "What?",
    options,
    left: [],
    right: [],
    gaps: [],
    unit: "",
    ...values,
  } as Question;
}

it.each<[string, Partial<Question>, Parameters<typeof linesOf>[1], string[]]>([
  ["a choice", {}, { id: "b" }, ["Reverse"]],
  ["choices", { kind: "multiple" }, { ids: ["a", "b"] }, ["<em>Normal</em>", "Reverse"]],
  ["an order", { kind: "ordering" }, { ids: ["b", "a"] }, ["Reverse", "<em>Normal</em>"]],
  ["false", { kind: "truth" }, { value: false }, ["False"]],
  ["a number", { kind: "numeric", unit: "km" }, { text: "7" }, ["7 km"]],
  ["typed text", { kind: "essay" }, { text: "<b> & so on" }, ["&lt;b&gt; &amp; so on"]],
  [
    "pairs",
    {
      kind: "matching",
      left: [
        { id: "l", html: "Ice" },
        { id: "m", html: "Fire" },
      ],
      right: options,
    },
    { pairs: { l: "b", m: "" } },
    ["Ice → Reverse"],
  ],
  [
    "gaps",
    {
      kind: "gaps",
      prompt_html: 'A <span data-gap="1"></span> of <span data-gap="2"></span>',
      gaps: [
        { number: "1", options },
        { number: "2", options: [] },
      ] as unknown as Question["gaps"],
    },
    { gaps: { "1": "b", "2": "<ice>" } },
    ["A <strong>Reverse</strong> of <strong>&lt;ice&gt;</strong>"],
  ],
  ["nothing", {}, undefined, []],
  ["nothing typed", { kind: "text" }, { text: " " }, []],
])("reads %s", (_, question, answer, lines) => {
  expect(linesOf(ask(question), answer)).toEqual(lines);
});
