/**
 * `[data-vat-number="id of the country"]` around a VAT number's field: the server checks the number when the field is
 * left, or the country changes. What was typed stays as it is.
 */
import { announce } from "../shared/announce";
import { drawIcon } from "../shared/icons";
import { checkVatNumber, type VatCheck } from "../shared/payments/vatNumber";
import { showMessages, updateSummary } from "./liveValidation";

/** The line below the field that isn't an error: a check mark for a valid number, else a hint. */
function showHint(input: HTMLInputElement, { passes, message }: VatCheck): void {
  const id = `${input.id}-h`;
  const place = document.getElementById(id) ?? document.createElement("p");
  place.id = id;
  place.className = passes ? "field__ok" : "field__hint";
  place.replaceChildren(...(passes ? [drawIcon("check")] : []), message);
  if (!place.isConnected) input.after(place);
  place.hidden = passes === false || message === "";
  const described = new Set((input.getAttribute("aria-describedby") ?? "").split(" "));
  described.delete("");
  if (place.hidden) described.delete(id);
  else described.add(id);
  if (described.size > 0) input.setAttribute("aria-describedby", [...described].join(" "));
  else input.removeAttribute("aria-describedby");
}

function watch(input: HTMLInputElement, country: HTMLSelectElement | null): void {
  let checked = "";
  let requests = 0;
  const check = async (): Promise<void> => {
    const wanted = `${country?.value ?? ""} ${input.value}`;
    if (wanted === checked || (input.value.trim() === "" && checked === "")) return;
    checked = wanted;
    requests += 1;
    const mine = requests;
    const found = await checkVatNumber(country?.value ?? "", input.value);
    if (mine !== requests) return;
    if (found === null) {
      checked = "";
      return;
    }
    const messages = found.passes === false ? [found.message] : [];
    showMessages(input, messages);
    updateSummary(input, messages);
    showHint(input, found);
    if (found.passes !== false && found.message !== "") announce(found.message);
  };
  input.addEventListener("blur", () => void check());
  country?.addEventListener("change", () => {
    if (input.value.trim() !== "") void check();
  });
}

/** Check the VAT numbers of the page's forms. */
export function startVatNumbers(): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-vat-number]")) {
    const input = place.querySelector("input");
    const country = document.getElementById(place.dataset.vatNumber ?? "");
    if (input) watch(input, country instanceof HTMLSelectElement ? country : null);
  }
}
