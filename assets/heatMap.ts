// The dashboard: arrow keys move through the days of the year.
import { startHeatMap } from "./site/heatMap";

const map = document.querySelector<HTMLElement>("[data-heat]");
if (map) startHeatMap(map);
