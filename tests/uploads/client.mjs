// node client.mjs OPTIONS: upload a file with tus-js-client; print its URL.
import { createReadStream } from "node:fs";

import { Upload } from "tus-js-client";

const { file, endpoint, headers, parallel } = JSON.parse(process.argv[2]);
let starts = 1;
const upload = new Upload(createReadStream(file), {
  endpoint,
  headers,
  metadata: { filename: "large.bin", purpose: "file" },
  retryDelays: Array(400).fill(100),
  parallelUploads: parallel,
  // One request sends all that remains.
  chunkSize: Infinity,
  onError: (error) => {
    // The concatenation request is not repeated by the client itself: start again, which resumes all parts.
    if (parallel > 1 && ++starts < 20) {
      setTimeout(() => upload.start(), 500);
      return;
    }
    console.error(String(error));
    process.exit(1);
  },
  onSuccess: () => {
    console.log(upload.url);
    process.exit(0);
  },
});
upload.start();
