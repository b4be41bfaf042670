/**
 * `form[data-live-form="names of fields"]`: when one of these fields changes, the form is sent to its own address with
 * `action=update`, and the parts of the answer marked `[data-live-part="name"]` replace those of the page. Buttons with
 * `[data-step]` change the number between them, up to its `data-most`. Without scripts, they are buttons that send the
 * form.
 */
import { announce } from "../shared/announce";

const TYPING_PAUSE_MS = 350;

/** Replace the parts that have changed; what had the focus keeps it. */
function showParts(answer: Document): void {
  for (const place of document.querySelectorAll<HTMLElement>("[data-live-part]")) {
    const fresh = answer.querySelector<HTMLElement>(
      `[data-live-part="${place.dataset.livePart ?? ""}"]`,
    );
    if (!fresh || fresh.innerHTML === place.innerHTML) continue;
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && place.contains(active) ? active : null;
    const typed = focused instanceof HTMLInputElement && focused.type === "search" ? focused : null;
    place.replaceChildren(...fresh.childNodes);
    const again = focused?.id ? document.getElementById(focused.id) : null;
    if (!(again instanceof HTMLElement)) continue;
    if (typed && again instanceof HTMLInputElement) again.value = typed.value;
    again.focus({ preventScroll: true });
    if (again instanceof HTMLInputElement && typed)
      again.setSelectionRange(typed.selectionStart, typed.selectionEnd);
  }
}

/** Start a form whose price the server computes while it is filled in. */
export function startLiveForm(form: HTMLFormElement): void {
  const names = new Set((form.dataset.liveForm ?? "").split(" "));
  const address = form.getAttribute("action") ?? location.href;
  let requests = 0;
  let pause: ReturnType<typeof setTimeout> | undefined;

  const update = async (): Promise<void> => {
    clearTimeout(pause);
    requests += 1;
    const mine = requests;
    const sent = new FormData(form);
    sent.set("action", "update");
    try {
      const response = await fetch(address, {
        method: "POST",
        body: sent,
        credentials: "same-origin",
      });
      if (!response.ok || response.redirected || mine !== requests) return;
      const answer = new DOMParser().parseFromString(await response.text(), "text/html");
      if (mine !== requests) return;
      showParts(answer);
    } catch {
      return; // offline: the order itself says so
    }
    const said = document.querySelector<HTMLElement>("[data-live-said]")?.dataset.liveSaid;
    if (said !== undefined) announce(said);
  };

  const later = (): void => {
    clearTimeout(pause);
    pause = setTimeout(() => void update(), TYPING_PAUSE_MS);
  };

  form.addEventListener("input", ({ target }) => {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLSelectElement)) return;
    if (!names.has(target.name)) return;
    if (target.type === "radio" || target instanceof HTMLSelectElement) void update();
    else later();
  });
  form.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("button[data-step]");
    const field = button?.parentElement?.querySelector("input");
    if (!button || !field) return;
    event.preventDefault();
    const most =
      Number(field.dataset.most) || 10 ** (field.maxLength > 0 ? field.maxLength : 3) - 1;
    const next = (Number.parseInt(field.value, 10) || 0) + Number(button.dataset.step);
    field.value = String(Math.min(Math.max(next, 1), most));
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  form.addEventListener("submit", (event) => {
    if (!(event.submitter instanceof HTMLButtonElement) || event.submitter.value !== "update")
      return;
    event.preventDefault();
    void update();
  });
}
