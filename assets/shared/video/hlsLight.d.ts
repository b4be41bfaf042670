// The light build has no types of its own. Its interface is that of the full build.
declare module "hls.js/light" {
  export * from "hls.js";
  export { default } from "hls.js";
}
