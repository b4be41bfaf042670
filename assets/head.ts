// Runs as text in <head>, before the first paint, so that the wrong theme never flashes.
import { applyLook, readLook } from "./site/look";

applyLook(readLook());
