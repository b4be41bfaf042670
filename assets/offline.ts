// The page /offline where it takes the place of another: that page is asked for again, by a press or once there is a connection.
const isInPlace = location.pathname !== "/offline";

for (const part of document.querySelectorAll<HTMLElement>("[data-in-place]"))
  part.hidden = !isInPlace;
if (isInPlace) {
  document.querySelector("[data-again]")?.addEventListener("click", () => location.reload());
  addEventListener("online", () => location.reload());
}

export {};
