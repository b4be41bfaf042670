import { expect, it } from "vitest";

import { createPlainSurface } from "../editor/surface";
import { pasteConverted, readClipboard } from "./paste";
import { picturesOfRtf, takePictures, unpackPictures } from "./pastedPictures";

const HEX = "89504e470d0a1a0a0000000d49484452";
const SHAPE = String.raw`{\*\shppict{\pict{\*\picprop\shplid1025{\sp{\sn fLine}{\sv 0}}}\picscalex100\pngblip\bliptag-12{\*\blipuid 0a1b}`;
const RTF = String.raw`{\rtf1\ansi Text {\pictext no picture}${SHAPE}
${HEX.slice(0, 20)}
${HEX.slice(20)}}}{\nonshppict{\pict\picw1\wmetafile8 0100090000030202}}
{\pict\jpegblip ffd8ffe000104a46494600010101}}`;

/** What a clipboard holds. */
function clipboard(data: Record<string, string>, files: File[] = []): DataTransfer {
  return { files, getData: (type: string) => data[type] ?? "" } as unknown as DataTransfer;
}

it("finds the pictures of RTF in order, without their copies for old programs", () => {
  const found = picturesOfRtf(RTF);
  expect(found.map(({ type }) => type)).toEqual(["png", "jpeg"]);
  expect(Buffer.from(found[0]!.bytes).toString("hex")).toBe(HEX);
});

it("reads broken RTF to its end without effort", () => {
  expect(picturesOfRtf("{\\pict\\pngblip 12")).toEqual([]);
  expect(picturesOfRtf("{\\pict".repeat(50_000))).toEqual([]);
  expect(picturesOfRtf(`{\\pict\\pngblip ${"a ".repeat(300_000)}z}`)).toEqual([]);
});

it("gives the pictures of Word the bytes that are in its RTF", () => {
  const image = (name: string): string => `<img src="file:///C:/Temp/${name}.png">`;
  const both = takePictures(`<p>${image("a")}${image("b")}</p>`, RTF);
  expect([...both.pictures.keys()]).toEqual(["/pasted-picture/1", "/pasted-picture/2"]);
  expect([...both.pictures.values()].map(({ type }) => type)).toEqual(["image/png", "image/jpeg"]);
  expect(both.html).not.toContain("file:");
  // Which of two is the only one in the RTF?
  expect(takePictures(`<p>${image("a")}</p>`, RTF).pictures.size).toBe(0);
});

it("takes the pictures out of the Markdown, each with its place and words", () => {
  const file = new File(["x"], "picture-1.png", { type: "image/png" });
  const pictures = [
    { address: "p1", alt: "One", source: "/pasted-picture/1" },
    { address: "p2", alt: "Two", source: "https://a.example/two.png" },
    { address: "p3", alt: "Three", source: "file:///C:/three.png" },
  ];
  const markdown = "a ![One](p1) b ![Two](p2) ![Three](p3) c";
  const unpacked = unpackPictures({ markdown, pictures }, new Map([["/pasted-picture/1", file]]));
  expect(unpacked).toEqual({
    markdown: "a  b [Two](https://a.example/two.png) Three c",
    places: [{ at: 2, file, alt: "One" }],
    missing: 2,
  });
});

it.each<[string, Record<string, string>, string]>([
  [
    "a spreadsheet",
    { "text/html": "<table><tr><td>1</td></tr></table>", "text/plain": "1" },
    "html",
  ],
  ["source code", { "text/html": "<div><span>let</span> x</div>", "text/plain": "let x" }, "text"],
  ["plain text only", { "text/plain": "<b>x</b>" }, "text"],
  [
    "an address",
    { "text/html": "<a href='https://a.b'>x</a>", "text/plain": "https://a.b" },
    "text",
  ],
])("pastes %s", (_, data, kind) => {
  expect(readClipboard(clipboard(data), "").kind).toBe(kind);
});

it.each([
  ["Before. ^", "## Forces", "Before. \n\n## Forces"],
  ["^after", "| a |\n| --- |", "| a |\n| --- |\n\nafter"],
  ["a ^ b", "**bold** words", "a **bold** words b"],
  ["a ^", "one\n\ntwo", "a one\n\ntwo"],
])(
  "puts what is pasted at %j on lines of its own if it needs them",
  async (marked, markdown, expected) => {
    const field = document.body.appendChild(document.createElement("textarea"));
    field.value = marked.replace("^", "");
    field.setSelectionRange(marked.indexOf("^"), marked.indexOf("^"));
    await pasteConverted(createPlainSurface(field), "plain", () =>
      Promise.resolve({ markdown, places: [], missing: 0 }),
    );
    expect(field.value).toBe(expected);
  },
);
