// Charts: a crosshair with the values of a place, by pointer and by arrow keys. The values are those of the table below
// the chart. For screen readers a chart is a slider over its places, so each says its value as the keys move it.
// templates/components/charts.html

const LARGE_STEP = 0.1; // of all places, for Page Up and Page Down
const GAP = 12; // CSS pixels between the crosshair and its tooltip
const SVG = "http://www.w3.org/2000/svg";

interface Place {
  name: string;
  values: [name: string, value: string][];
}

const textOf = (element: Element | null | undefined): string => element?.textContent.trim() ?? "";

/** The rows of the table that belongs to a chart. */
function readPlaces(graph: Element): Place[] {
  const table = (graph.closest("figure") ?? graph.parentElement?.parentElement)?.querySelector(
    "table[data-chart-table]",
  );
  const names = [...(table?.querySelectorAll("thead th") ?? [])].slice(1).map(textOf);
  return [...(table?.querySelectorAll("tbody tr") ?? [])].map((row) => ({
    name: textOf(row.querySelector("th")),
    values: [...row.querySelectorAll("td")].map((cell, at) => [names[at] ?? "", textOf(cell)]),
  }));
}

/** A list of numbers in a data attribute; NaN where there is none. */
const readNumbers = (list: string | undefined): number[] =>
  (list ?? "").split(" ").filter(Boolean).map(Number);

class Chart {
  private readonly area: HTMLElement;
  private readonly middles: number[];
  private readonly tip = document.createElement("div");
  private readonly marks = document.createElementNS(SVG, "g");
  private at: number;

  constructor(
    private readonly graph: HTMLElement,
    area: HTMLElement,
    private readonly places: Place[],
  ) {
    this.area = area;
    this.middles = readNumbers(area.dataset.middles);
    this.at = this.middles.length - 1;
    this.tip.className = "graph__tip";
    this.tip.hidden = true;
    this.area.append(this.tip);
    this.marks.setAttribute("visibility", "hidden");
    this.area.querySelector("svg")?.append(this.marks);
    graph.tabIndex = 0;
    graph.setAttribute("role", "slider");
    graph.setAttribute("aria-valuemin", "1");
    graph.setAttribute("aria-valuemax", String(this.middles.length));
    this.choose(this.at);
    this.hide();
  }

  start(): void {
    this.graph.addEventListener("focus", () => this.choose(this.at));
    this.graph.addEventListener("blur", () => this.hide());
    this.graph.addEventListener("keydown", (event) => this.press(event));
    for (const kind of ["pointermove", "pointerdown"] as const)
      this.area.addEventListener(kind, ({ clientX }) => this.choose(this.nearest(clientX)));
    this.area.addEventListener("pointerleave", ({ pointerType }) => {
      // A finger leaves by being lifted: what it touched stays until it touches something else.
      if (pointerType !== "touch" && document.activeElement !== this.graph) this.hide();
    });
    document.addEventListener("pointerdown", ({ target }) => {
      if (!(target instanceof Node) || !this.graph.contains(target)) this.hide();
    });
  }

  private nearest(clientX: number): number {
    const { left, width } = this.area.getBoundingClientRect();
    const x = width ? ((clientX - left) / width) * 100 : 0;
    let nearest = 0;
    this.middles.forEach((middle, at) => {
      if (Math.abs(middle - x) < Math.abs((this.middles[nearest] ?? 0) - x)) nearest = at;
    });
    return nearest;
  }

  private press(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      if (!this.tip.hidden) event.preventDefault();
      this.hide();
      return;
    }
    const last = this.middles.length - 1;
    const right = this.graph.dataset.chart === "mirrored" ? -1 : 1;
    const large = Math.max(1, Math.round(this.middles.length * LARGE_STEP));
    const steps: Record<string, number> = {
      ArrowRight: right,
      ArrowLeft: -right,
      ArrowUp: 1,
      ArrowDown: -1,
      PageUp: large,
      PageDown: -large,
      Home: -last,
      End: last,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    this.choose(Math.min(last, Math.max(0, this.at + step)));
  }

  /** Show the values of a place, and say them. */
  private choose(at: number): void {
    const place = this.places[at];
    if (!place) return;
    this.at = at;
    const said = place.values.map(([name, value]) => `${name}: ${value}`);
    this.graph.setAttribute("aria-valuenow", String(at + 1));
    this.graph.setAttribute("aria-valuetext", [place.name, ...said].join(". "));
    this.draw();
    this.write(place);
  }

  private hide(): void {
    this.tip.hidden = true;
    this.marks.setAttribute("visibility", "hidden");
  }

  private draw(): void {
    const x = `${this.middles[this.at]}%`;
    const hair = document.createElementNS(SVG, "line");
    hair.setAttribute("class", "graph__hair");
    for (const [name, value] of Object.entries({ x1: x, x2: x, y1: "0", y2: "100%" }))
      hair.setAttribute(name, value);
    const dots = [...this.area.querySelectorAll<SVGElement>("[data-heights]")].flatMap((line) => {
      const y = readNumbers(line.dataset.heights)[this.at];
      if (y === undefined || Number.isNaN(y)) return [];
      const dot = document.createElementNS(SVG, "circle");
      dot.setAttribute("class", `graph__dot ${line.getAttribute("class") ?? ""}`);
      for (const [name, value] of Object.entries({ cx: x, cy: `${y}%`, r: "4.5" }))
        dot.setAttribute(name, value);
      return [dot];
    });
    this.marks.replaceChildren(hair, ...dots);
    this.marks.removeAttribute("visibility");
  }

  private write(place: Place): void {
    const name = document.createElement("b");
    name.textContent = place.name;
    const list = document.createElement("dl");
    for (const [of, value] of place.values) {
      const term = document.createElement("dt");
      term.textContent = of;
      const data = document.createElement("dd");
      data.textContent = value;
      list.append(term, data);
    }
    this.tip.replaceChildren(name, list);
    this.tip.hidden = false;
    // Beside the crosshair, on the side with more room; within the plot in any case.
    const room = this.area.clientWidth;
    const x = (room * (this.middles[this.at] ?? 0)) / 100;
    const width = this.tip.offsetWidth;
    const left = x > room / 2 ? x - GAP - width : x + GAP;
    this.tip.style.left = `${Math.max(0, Math.min(left, room - width))}px`;
  }
}

/** Give all charts of the page, or of a part of it, their crosshair. A chart without a table stays an image. */
export function startCharts(part: ParentNode = document): void {
  for (const graph of part.querySelectorAll<HTMLElement>("[data-chart]:not([role='slider'])")) {
    const area = graph.querySelector<HTMLElement>("[data-middles]");
    const places = readPlaces(graph);
    if (area && places.length && places.length === readNumbers(area.dataset.middles).length)
      new Chart(graph, area, places).start();
  }
}
