import { beforeEach, expect, test } from "vitest";

import { startCharts } from "./charts";

const row = (name: string, active: string, fresh: string): string =>
  `<tr><th scope="row">${name}</th><td>${active}</td><td>${fresh}</td></tr>`;

function show({ mirrored = false, rows = 3, marked = true } = {}): HTMLElement {
  const months = [
    row("January 2026", "820", "212"),
    row("February 2026", "1,240", "–"),
    row("March 2026", "2,206", "548"),
  ];
  document.body.innerHTML = `<figure><div role="img" aria-label="Active" data-chart="${mirrored ? "mirrored" : ""}">
    <div data-middles="${mirrored ? "100 50 0" : "0 50 100"}"><svg>
      <g class="graph-k1" data-heights="60 40 10"></g><g class="graph-k2" data-heights="90 - 80"></g>
    </svg></div></div>
    <details><table${marked ? " data-chart-table" : ""}><thead><tr><th>Month</th><th>Active</th><th>New</th></tr></thead>
    <tbody>${months.slice(0, rows).join("")}</tbody></table></details></figure><button>other</button>`;
  startCharts();
  const graph = document.querySelector<HTMLElement>("[data-chart]")!;
  const area = graph.querySelector<HTMLElement>("[data-middles]")!;
  area.getBoundingClientRect = () => ({ left: 100, width: 200 }) as DOMRect;
  return graph;
}

let graph: HTMLElement;
beforeEach(() => {
  graph = show();
});

const tip = (): HTMLElement => document.querySelector<HTMLElement>(".graph__tip")!;
const spoken = (): string => graph.getAttribute("aria-valuetext") ?? "";
const press = (key: string): boolean =>
  graph.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
const point = (kind: string, clientX: number, pointerType = "mouse"): void => {
  const event = new MouseEvent(kind, { clientX, bubbles: true });
  Object.defineProperty(event, "pointerType", { value: pointerType });
  graph.querySelector("[data-middles]")!.dispatchEvent(event);
};

test("a chart is a slider over its places, at the last one, with nothing shown yet", () => {
  expect(graph.getAttribute("role")).toBe("slider");
  expect(graph.tabIndex).toBe(0);
  expect(
    ["valuemin", "valuemax", "valuenow"].map((name) => graph.getAttribute(`aria-${name}`)),
  ).toEqual(["1", "3", "3"]);
  expect(spoken()).toBe("March 2026. Active: 2,206. New: 548");
  expect(tip().hidden).toBe(true);
});

test("keys go from place to place and stay inside", () => {
  graph.focus();
  expect(tip().hidden).toBe(false);
  const path: [string, string][] = [
    ["ArrowRight", "March"],
    ["ArrowLeft", "February"],
    ["ArrowDown", "January"],
    ["ArrowLeft", "January"],
    ["ArrowUp", "February"],
    ["Home", "January"],
    ["PageUp", "February"],
    ["End", "March"],
    ["PageDown", "February"],
  ];
  for (const [key, month] of path) {
    expect(press(key), key).toBe(false);
    expect(spoken(), key).toContain(month);
    expect(tip().querySelector("b")?.textContent, key).toContain(month);
  }
  expect(press("a")).toBe(true);
});

test("the right arrow key goes to the right where time runs to the left", () => {
  graph = show({ mirrored: true });
  press("ArrowRight");
  expect(spoken()).toContain("February");
  press("ArrowLeft");
  expect(spoken()).toContain("March");
});

test("the crosshair marks each line that has a value there", () => {
  press("ArrowLeft");
  const dots = [...graph.querySelectorAll("svg g:last-child circle")];
  expect(graph.querySelector(".graph__hair")?.getAttribute("x1")).toBe("50%");
  expect(dots.map((dot) => [dot.getAttribute("class"), dot.getAttribute("cy")])).toEqual([
    ["graph__dot graph-k1", "40%"],
  ]);
});

test("the pointer shows the nearest place until it leaves", () => {
  point("pointermove", 190);
  expect(tip().textContent).toBe("February 2026Active1,240New–");
  point("pointerleave", 400);
  expect(tip().hidden).toBe(true);
  point("pointermove", 101);
  graph.focus();
  point("pointerleave", 400);
  expect(tip().hidden).toBe(false);
});

test("what a finger touched stays until it touches something else", () => {
  point("pointerdown", 101, "touch");
  point("pointerleave", 101, "touch");
  expect(tip().hidden).toBe(false);
  document.querySelector("button")!.dispatchEvent(new MouseEvent("pointerdown", { bubbles: true }));
  expect(tip().hidden).toBe(true);
});

test("Escape closes, and is left to others where nothing is open", () => {
  graph.focus();
  expect(press("Escape")).toBe(false);
  expect(tip().hidden).toBe(true);
  expect(press("Escape")).toBe(true);
  press("ArrowLeft");
  expect(tip().hidden).toBe(false);
  graph.blur();
  expect(tip().hidden).toBe(true);
});

test("a chart whose table has other places, or none of them, stays an image", () => {
  for (const other of [{ rows: 2 }, { marked: false }]) {
    graph = show(other);
    expect(graph.getAttribute("role")).toBe("img");
    expect(document.querySelector(".graph__tip")).toBeNull();
  }
});

test("a chart is started once", () => {
  startCharts();
  expect(document.querySelectorAll(".graph__tip")).toHaveLength(1);
});
