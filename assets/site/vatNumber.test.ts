import { beforeEach, expect, it, vi } from "vitest";

import { startVatNumbers } from "./vatNumber";

const asked = vi.fn<(sent: unknown) => void>();
let answers: (object | null)[];

beforeEach(() => {
  answers = [];
  asked.mockReset();
  vi.stubGlobal("fetch", (_address: string, { body }: RequestInit) => {
    asked(JSON.parse(body as string));
    const found = answers.shift() ?? null;
    return Promise.resolve({ ok: found !== null, json: () => Promise.resolve(found) });
  });
  document.body.innerHTML = `
    <form><select id="id_country"><option value="DE" selected></option><option value="FR"></option></select>
      <div data-vat-number="id_country"><div class="field">
        <input id="id_vat_id" aria-describedby="id_vat_id-h"><p class="field__hint" id="id_vat_id-h">Only for companies.</p>
      </div></div></form>`;
  startVatNumbers();
});

const input = () => document.querySelector("input")!;
const below = () => document.getElementById("id_vat_id-h");
const fault = () => document.getElementById("id_vat_id-e")?.textContent ?? "";
async function leave(value: string): Promise<void> {
  input().value = value;
  input().dispatchEvent(new FocusEvent("blur"));
  await vi.waitFor(() => undefined);
  await Promise.resolve();
}

it("says what is wrong, then that the number is valid, and keeps what was typed", async () => {
  answers = [
    { passes: false, message: "This isn't a VAT number of that country." },
    { passes: true, message: "Valid format: DE136695976" },
  ];
  await leave("de 136 695 977");
  await vi.waitFor(() => expect(fault()).toContain("isn't a VAT number"));
  expect(asked).toHaveBeenLastCalledWith({ country: "DE", vat_id: "de 136 695 977" });
  expect(input().getAttribute("aria-invalid")).toBe("true");
  expect(input().getAttribute("aria-describedby")).toBe("id_vat_id-e");
  expect(below()?.hidden).toBe(true);

  await leave("de 136 695 976");
  await vi.waitFor(() => expect(below()?.textContent).toBe("Valid format: DE136695976"));
  expect(fault()).toBe("");
  expect(input().hasAttribute("aria-invalid")).toBe(false);
  expect(input().getAttribute("aria-describedby")).toBe("id_vat_id-h");
  expect(input().value).toBe("de 136 695 976");
  expect(document.querySelector("[data-live=polite]")?.textContent).toContain("Valid format");
});

it("checks again in another country, and asks again after a failure", async () => {
  answers = [null, { passes: true, message: "Valid format: DE136695976" }];
  await leave("");
  expect(asked).not.toHaveBeenCalled();
  await leave("DE136695976");
  await leave("DE136695976");
  await vi.waitFor(() => expect(below()?.className).toBe("field__ok"));

  answers = [{ passes: false, message: "This isn't a VAT number of that country." }];
  document.querySelector("select")!.value = "FR";
  document.querySelector("select")!.dispatchEvent(new Event("change"));
  await vi.waitFor(() => expect(fault()).toContain("isn't a VAT number"));
  expect(asked).toHaveBeenCalledTimes(3);
});
