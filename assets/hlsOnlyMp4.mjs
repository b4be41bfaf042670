// Leaves out of hls.js what reads MPEG-TS, AAC and MP3: the segments of this site are MP4. That is 15 % of the player.
import { readFile } from "node:fs/promises";

const otherFormats =
  /const muxConfig = \[\{\s+demux: MP4Demuxer,\s+remux: PassThroughRemuxer\s+\}(?:, \{\s+demux: (?:TS|AAC|MP3)Demuxer,\s+remux: MP4Remuxer\s+\}){3}\];/;
const probe =
  "chunkMeta.iframe && initSegmentData && TSDemuxer.probe(initSegmentData, this.logger) ? initSegmentData : uintData";

/** @throws if this version of hls.js is not the one that this was written for */
export function withoutOtherFormats(source) {
  const parts = [otherFormats.test(source), source.includes(probe)];
  if (parts.includes(false)) throw new Error("hls.js has changed: see assets/hlsOnlyMp4.mjs");
  return source
    .replace(otherFormats, "const muxConfig = [{ demux: MP4Demuxer, remux: PassThroughRemuxer }];")
    .replace(probe, "uintData");
}

/** A plugin of esbuild. */
export const hlsOnlyMp4 = {
  name: "hls-only-mp4",
  setup(build) {
    build.onLoad({ filter: /hls\.light\.mjs$/ }, async ({ path }) => ({
      contents: withoutOtherFormats(await readFile(path, "utf8")),
      loader: "js",
    }));
  },
};
