import { expect, it } from "vitest";

import { attributesAfter, readPicture, writePicture } from "./pictures";

const plain = {
  address: "/course-files/7",
  alt: "A hill",
  caption: "",
  isDecorative: false,
  width: null,
};

it.each([
  ["![A hill](/course-files/7)", plain],
  [
    '![A hill](/course-files/7 "Seen from the \\"south\\"")',
    { ...plain, caption: 'Seen from the "south"' },
  ],
  ["![](/course-files/7){decorative}", { ...plain, alt: "", isDecorative: true }],
  [
    "![A \\[small\\] hill](/course-files/7){width=50%}",
    { ...plain, alt: "A [small] hill", width: 50 },
  ],
])("reads %s and writes it the same", (source, picture) => {
  expect(readPicture(source)).toEqual(picture);
  expect(writePicture(picture)).toBe(source);
});

it("leaves everything else alone", () => {
  for (const source of ["[A](/b)", "![a](/b) and more", "![a]", "![a](/b)![c](/d)"])
    expect(readPicture(source)).toBeNull();
});

it("drops the words of a decorative picture, and line breaks", () => {
  expect(writePicture({ ...plain, isDecorative: true })).toBe("![](/course-files/7){decorative}");
  expect(writePicture({ ...plain, alt: " two\n lines " })).toBe("![two lines](/course-files/7)");
});

it("finds the attributes that follow directly", () => {
  expect(attributesAfter("{width=50%} and")).toBe("{width=50%}");
  expect(attributesAfter(" {width=50%}")).toBe("");
});
