import type { CreateStream } from "../../../shared/video/stream";

/** The stream for this browser; null if it can play none. Fetches hls.js. */
export const createStream: CreateStream = async (video, events) => {
  const { createHlsStream } = await import("../../../shared/video/hls");
  // Preferred even in browsers that play HLS natively, as those do not let us choose the quality.
  const stream = createHlsStream(video, events);
  return stream ?? (await import("../../../shared/video/native")).createNativeStream(video, events);
};
