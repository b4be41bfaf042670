import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";

import { Choices } from "./Choices";
import { plain } from "./Html";
import type { Question } from "./types";

const math = (inside: string): string => `<math display="inline"><mrow>${inside}</mrow></math>`;
const fraction = "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>";

it.each([
  [`Half: ${math(fraction)}`, "Half: 1/2"],
  [math("<msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><msub><mi>a</mi><mn>1</mn></msub>"), "x^2+a_1"],
  [math("<msqrt><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></msqrt>"), "√(a+b)"],
  [
    math(
      "<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>0</mn></mtd><mtd><mn>1</mn></mtd></mtr></mtable><mo>)</mo>",
    ),
    "(1, 2; 0, 1)",
  ],
  ['<img alt="A red line" src="/course-files/1">', "A red line"],
])("writes %s as text", (html, text) => {
  expect(plain(html)).toBe(text);
});

it("names a choice that is only a formula", () => {
  const question = {
    uid: "1",
    kind: "single",
    options: [
      { id: "a", html: math(fraction) },
      { id: "b", html: "One <em>half</em>" },
    ],
  } as unknown as Question;
  render(<Choices question={question} answer={undefined} heading="h" onAnswer={() => undefined} />);

  expect(screen.getByRole("radio", { name: "1/2" })).toBeDefined();
  const words = screen.getByRole("radio", { name: "One half" });
  expect(words.hasAttribute("aria-label")).toBe(false);
});
