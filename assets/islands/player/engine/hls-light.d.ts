// The light build carries no types of its own; it is the full one without what the player never uses.
declare module "hls.js/dist/hls.light.mjs" {
  export * from "hls.js";
  export { default } from "hls.js";
}
