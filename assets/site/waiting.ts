/** `data-wait="42"`: a button that can be pressed after so many seconds, and says how many are left. */
import { t } from "../shared/i18n";

function wait(button: HTMLButtonElement): void {
  let left = Number(button.dataset.wait);
  const said = document.createElement("span");
  said.className = "small faint num";
  button.disabled = true;
  button.after(said);
  const tick = (): void => {
    said.textContent = t(button.dataset.waitText ?? "{seconds}", { seconds: left });
    if (left > 0) return;
    clearInterval(timer);
    said.remove();
    button.disabled = false;
  };
  const timer = setInterval(() => {
    left -= 1;
    tick();
  }, 1000);
  tick();
}

export function startWaiting(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-wait]"))
    wait(button);
}
