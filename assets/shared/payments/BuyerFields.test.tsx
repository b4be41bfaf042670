import { render, screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

import { BuyerFields, useBuyer } from "./BuyerFields";

beforeEach(() => {
  vi.stubGlobal("fetch", (_address: string, { body }: RequestInit) => {
    const { country, vat_id } = JSON.parse(body as string) as { country: string; vat_id: string };
    const passes = country === "DE" && vat_id.endsWith("6");
    const message = passes ? "Valid format: DE136695976" : "This isn't a VAT number.";
    return Promise.resolve({ ok: true, json: () => Promise.resolve({ passes, message }) });
  });
});

function Form({ country }: { country: string }) {
  const form = useBuyer(null);
  return <BuyerFields form={form} country={country} onTaxFacts={() => undefined} />;
}

it("checks the VAT number when it is left, and again in another country", async () => {
  const { rerender } = render(<Form country="DE" />);
  await userEvent.click(screen.getByLabelText("I buy as a company"));
  const field = screen.getByLabelText<HTMLInputElement>("VAT number");
  const described = () =>
    document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent;
  expect(described()).toBe("We check its format, not the registry.");

  await userEvent.type(field, "de 136 695 977");
  await userEvent.tab();
  await vi.waitFor(() => expect(described()).toBe("This isn't a VAT number."));
  expect(described()).toBe("This isn't a VAT number.");
  expect(screen.queryByRole("alert")).toBeNull();

  await userEvent.type(field, "{Backspace}6");
  expect(described()).toBe("We check its format, not the registry.");
  await userEvent.tab();
  await vi.waitFor(() => expect(described()).toBe("Valid format: DE136695976"));
  expect(field.value).toBe("de 136 695 976");

  rerender(<Form country="FR" />);
  await vi.waitFor(() => expect(described()).toBe("This isn't a VAT number."));
});
