/** The server's check of a company's VAT number, while a form is filled in. */
import { csrfHeaders } from "../api/csrf";
import type { components } from "../api/schema.gen";

export type VatCheck = components["schemas"]["VatIdOut"];

/**
 * What the server says about a VAT number; null if it can't be asked: the number is checked when the form is sent.
 * @param country ISO 3166-1; empty: none is chosen
 */
export async function checkVatNumber(country: string, vat_id: string): Promise<VatCheck | null> {
  try {
    const response = await fetch("/api/v1/billing/vat-number/", {
      method: "POST",
      credentials: "same-origin",
      headers: { ...csrfHeaders(), "Content-Type": "application/json" },
      body: JSON.stringify({ country, vat_id }),
    });
    return response.ok ? ((await response.json()) as VatCheck) : null;
  } catch {
    return null;
  }
}
