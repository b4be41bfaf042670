// The page of a learning path in the studio: its courses are moved by dragging or by their arrows, without a reload.
import { startOrdering } from "./outline/pathOrder";

const list = document.querySelector<HTMLElement>("[data-path-order]");
if (list) startOrdering(list);
