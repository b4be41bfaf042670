import { expect, it } from "vitest";

import { tokenOf } from "../testing/tokens";
import { expiresAt, isTokenValid, readPayload } from "./token";

const now = 1_800_000_000_000;
const seconds = now / 1000;

it.each([
  { exp: seconds - 1, valid: false },
  { exp: seconds + 59, valid: false },
  { exp: seconds + 60, valid: false },
  { exp: seconds + 60.001, valid: true },
  { exp: seconds + 61, valid: true },
])("needs an expiry later than a minute from now: $exp", ({ exp, valid }) => {
  expect(isTokenValid(tokenOf({ exp }), now)).toBe(valid);
});

it("accepts a token that names no expiry", () => {
  expect(isTokenValid(tokenOf({ sub: "7" }), now)).toBe(true);
  expect(isTokenValid(tokenOf({ exp: null }), now)).toBe(true);
  expect(expiresAt(tokenOf({ sub: "7" }))).toBeNull();
});

it.each([
  ["text", tokenOf({ exp: String(seconds + 3600) })],
  ["the year 1970", tokenOf({ exp: 0 })],
  ["an object", tokenOf({ exp: { at: seconds + 3600 } })],
])("refuses an expiry that is %s", (_, token) => {
  expect(isTokenValid(token, now)).toBe(false);
});

it.each([
  ["two parts", "a.b"],
  ["four parts", `${tokenOf({ exp: seconds + 3600 })}.d`],
  ["no text", ""],
  ["a payload that is not JSON", `h.${btoa("not json")}.s`],
  ["a payload that is a list", `h.${btoa("[1]")}.s`],
  ["a payload that is null", `h.${btoa("null")}.s`],
  ["a payload that is a number", `h.${btoa("7")}.s`],
  ["letters that base64 does not know", "h.%%%.s"],
  ["an empty payload", "h..s"],
  ["bytes that are not UTF-8", `h.${btoa('{"a":"\xff"}')}.s`],
  ["nothing", null],
  ["a number", 7],
  ["an object", {}],
])("refuses %s", (_, token) => {
  expect(isTokenValid(token, now)).toBe(false);
});

it("decodes base64url with and without padding, in any script", () => {
  for (const name of ["Ä", "Äß", "日本語 ✓", "þ~?>", "👩‍🏫"]) {
    const token = tokenOf({ name, exp: seconds + 61 });
    const padded = token.replace(/\.([^.]*)\./, (_, part: string) => {
      return `.${part.padEnd(Math.ceil(part.length / 4) * 4, "=")}.`;
    });
    for (const form of [token, padded]) {
      expect(readPayload(form)).toEqual({ name, exp: seconds + 61 });
      expect(isTokenValid(form, now)).toBe(true);
    }
  }
});
