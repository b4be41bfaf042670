// The heat map of the dashboard: arrow keys, Home and End move from day to day, and what the day says stands below.
// A week is a column: ←/→ go by weeks, ↑/↓ by days.

const DAYS = 7;

/** Makes the days of a heat map reachable by keyboard and pointer. */
export function startHeatMap(map: HTMLElement): void {
  const says = map.querySelector<HTMLElement>("[data-heat-says]");
  const rows = [...map.querySelectorAll<HTMLTableRowElement>("tbody tr")];
  const weeks = Math.max(0, ...rows.map((row) => row.querySelectorAll("td").length));
  const days: HTMLElement[] = [];
  for (let week = 0; week < weeks; week++)
    for (const row of rows) {
      const day = row.querySelectorAll<HTMLElement>("td")[week];
      if (day?.textContent) days.push(day);
    }
  const last = days.at(-1);
  if (!last || !says) return;
  const hint = says.textContent;
  for (const day of days) day.tabIndex = -1;
  last.tabIndex = 0;
  map.querySelector("[tabindex='0'][role]")?.removeAttribute("tabindex"); // its days are reachable instead

  const go = (to: HTMLElement): void => {
    for (const day of days) day.tabIndex = day === to ? 0 : -1;
    to.focus();
  };
  map.addEventListener("keydown", (event) => {
    const at = days.indexOf(event.target as HTMLElement);
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const steps: Record<string, number> = {
      ArrowLeft: -DAYS,
      ArrowRight: DAYS,
      ArrowUp: -1,
      ArrowDown: 1,
    };
    const step = steps[event.key];
    const to =
      event.key === "Home"
        ? days[0]
        : event.key === "End"
          ? last
          : step
            ? days[at + step]
            : undefined;
    if (!to && !step) return;
    event.preventDefault();
    if (to) go(to);
  });
  const show = (event: Event): void => {
    const day = (event.target as HTMLElement).closest<HTMLElement>("tbody td");
    if (day?.textContent) says.textContent = day.textContent;
  };
  map.addEventListener("focusin", show);
  map.addEventListener("pointerover", show);
  map.addEventListener("pointerleave", () => {
    if (!map.contains(document.activeElement)) says.textContent = hint;
  });
}
