/** The steps that are not shown first, in one file that is fetched while the browser is idle. */
export { Curriculum } from "./Curriculum";
export { Media } from "./Media";
export { Price } from "./Price";
export { Review } from "./Review";
