/** `button[data-wait="42"]`: enabled after that many seconds; shows how many are left. */
import { t } from "../shared/i18n";

function startCountdown(button: HTMLButtonElement): void {
  let left = Number(button.dataset.wait);
  const label = document.createElement("span");
  label.className = "small faint num";
  button.disabled = true;
  button.after(label);
  const tick = (): void => {
    label.textContent = t(button.dataset.waitText ?? "{seconds}", { seconds: left });
    if (left > 0) return;
    clearInterval(timer);
    label.remove();
    button.disabled = false;
  };
  const timer = setInterval(() => {
    left -= 1;
    tick();
  }, 1000);
  tick();
}

/** Start the countdowns of the page. */
export function startCountdownButtons(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("button[data-wait]"))
    startCountdown(button);
}
