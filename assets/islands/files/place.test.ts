import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";

import { addressOf, placeOf, usePlace } from "./place";

beforeEach(() => history.replaceState(null, "", "/files/"));

it("reads a place from an address, and nonsense as the defaults", () => {
  expect(placeOf("?folder=f&q=+tree+&sort=size&view=grid")).toEqual({
    folder: "f",
    q: "tree",
    sort: "size",
    view: "grid",
  });
  expect(placeOf("?sort=x&view=y")).toEqual({
    folder: null,
    q: "",
    sort: "modified",
    view: "list",
  });
});

it("writes only what differs from the defaults", () => {
  expect(addressOf(placeOf(""))).toBe("/files/");
  expect(addressOf(placeOf("?q=a%26b&sort=name"))).toBe("/files/?q=a%26b&sort=name");
});

it("makes an entry of the history for a folder and a search, not for each letter or the order", () => {
  const { result } = renderHook(usePlace);
  const go = (change: Parameters<(typeof result.current)[1]>[0]): number => {
    act(() => result.current[1](change));
    return history.length;
  };
  const start = history.length;
  expect(go({ sort: "name" })).toBe(start);
  expect(go({ folder: "f" })).toBe(start + 1);
  expect(go({ q: "t" })).toBe(start + 2);
  expect(go({ q: "tr" })).toBe(start + 2);
  expect(location.search).toBe("?folder=f&q=tr&sort=name");
  expect(result.current[0].q).toBe("tr");
});
