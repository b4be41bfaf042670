(() => {
  const band = document.currentScript.previousElementSibling, key = "study.dismissed", id = band.dataset.announcement;
  const read = () => { try { return [JSON.parse(localStorage.getItem(key)) ?? []].flat(); } catch { return []; } };
  band.hidden = read().includes(id);
  band.querySelector("button").addEventListener("click", () => {
    band.hidden = true;
    document.querySelector("main").focus({ preventScroll: true });
    try { localStorage.setItem(key, JSON.stringify([...read(), id].slice(-20))); } catch { /* blocked: it holds for this page */ }
  });
})();
