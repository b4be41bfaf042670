import { beforeEach, expect, test } from "vitest";
import { startHeatMap } from "./heatMap";

beforeEach(() => {
  // Two weeks; the second one has two days so far.
  const row = (day: number): string =>
    `<tr><th scope="row">d</th><td><span>day ${day}</span></td><td>${day < 2 ? `<span>day ${day + 7}</span>` : ""}</td></tr>`;
  document.body.innerHTML = `<div data-heat><div role="region" tabindex="0"><table><tbody>${[0, 1, 2, 3, 4, 5, 6].map(row).join("")}</tbody></table></div><p data-heat-says>hint</p></div>`;
  startHeatMap(document.querySelector<HTMLElement>("[data-heat]")!);
});

const press = (key: string): void => {
  document.activeElement?.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }),
  );
};
const said = (): string => document.querySelector("[data-heat-says]")?.textContent ?? "";

test("the last day is the one stop of the tab key", () => {
  const stops = [...document.querySelectorAll<HTMLElement>("[tabindex='0']")];
  expect(stops.map((stop) => stop.textContent)).toEqual(["day 8"]);
});

test("arrows, Home and End move from day to day and stay inside", () => {
  document.querySelector<HTMLElement>("[tabindex='0']")?.focus();
  expect(said()).toBe("day 8");
  const path: [string, string][] = [
    ["ArrowDown", "day 8"],
    ["ArrowRight", "day 8"],
    ["ArrowLeft", "day 1"],
    ["ArrowUp", "day 0"],
    ["ArrowUp", "day 0"],
    ["ArrowRight", "day 7"],
    ["Home", "day 0"],
    ["End", "day 8"],
  ];
  for (const [key, day] of path) {
    press(key);
    expect(said(), key).toBe(day);
  }
});
