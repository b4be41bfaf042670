import { expect, it, vi } from "vitest";

import { PieceRenderer } from "./rendering";

it("asks for pieces together, and for each alone if one swallows the next", async () => {
  const asked: string[] = [];
  const render = (source: string): Promise<string> => {
    asked.push(source);
    const whole = source.includes("$$open") ? source : source.replaceAll("\n\n---\n\n", "<hr>");
    return Promise.resolve(whole.replace(/[a-z$]+(?![a-z>])/g, "<p>$&</p>"));
  };
  const onRendered = vi.fn();
  const pieces = new PieceRenderer(render, onRendered, 0);
  expect(["a", "b"].map((one) => pieces.htmlOf(one))).toEqual([undefined, undefined]);
  await vi.waitFor(() => expect(onRendered).toHaveBeenCalledOnce());
  expect(asked).toHaveLength(1);
  expect(pieces.htmlOf("b")).toContain("<p>b</p>");

  pieces.htmlOf("$$open");
  pieces.htmlOf("c");
  await vi.waitFor(() => expect(onRendered).toHaveBeenCalledTimes(2));
  expect(asked).toEqual(["a\n\n---\n\nb", "$$open\n\n---\n\nc", "$$open", "c"]);
  expect(pieces.htmlOf("c")).toBe("<p>c</p>");
});
