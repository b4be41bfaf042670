// The page /offline. Where it replaces another page, that page is requested again by a button and when online.
const isInPlace = location.pathname !== "/offline";

for (const part of document.querySelectorAll<HTMLElement>("[data-in-place]"))
  part.hidden = !isInPlace;
if (isInPlace) {
  document.querySelector("[data-again]")?.addEventListener("click", () => location.reload());
  addEventListener("online", () => location.reload());
}

export {};
