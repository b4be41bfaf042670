// The test bank asks the cardholder, in a dialog of the shop or on a page of its own.
(() => {
  "use strict";
  const query = new URLSearchParams(window.location.search);
  const isFramed = window.parent !== window;
  const buttons = [document.getElementById("complete"), document.getElementById("fail")];
  const status = document.getElementById("status");

  async function answer(outcome) {
    for (const button of buttons) button.disabled = true;
    status.textContent = "Telling the shop …";
    const form = new URLSearchParams({ client_secret: query.get("client_secret") ?? "", outcome });
    const told = await fetch(window.location.pathname, { method: "POST", body: form }).catch(() => null);
    if (!told?.ok) {
      status.textContent = "That did not work. Try again.";
      for (const button of buttons) button.disabled = false;
      return;
    }
    const { back } = await told.json();
    if (isFramed) window.parent.postMessage({ type: "answered" }, "*");
    else if (back) window.location.assign(back);
  }

  buttons[0].addEventListener("click", () => void answer("complete"));
  buttons[1].addEventListener("click", () => void answer("fail"));
  window.addEventListener("keydown", (event) => isFramed && event.key === "Escape" && void answer("fail"));
  window.addEventListener("message", (event) => {
    if (event.source === window.parent && event.data?.type === "refuse") void answer("fail");
  });
  if (isFramed) {
    window.parent.postMessage({ type: "height", value: Math.ceil(document.body.scrollHeight) }, "*");
    buttons[0].focus();
  }
})();
