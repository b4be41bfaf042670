/** Uploads by tus 1.0, in chunks of 8 MiB, resumed from the last byte that the server has. */
import { DetailedError, Upload } from "tus-js-client";

import { type ApiError, errorOfResponse, makeError } from "../api/errors";
import { session } from "../auth/browser";
import { pathOf } from "./paths";
import { storedAddresses } from "./storedAddresses";
import type { Transport } from "./transport";

export const CHUNK = 8 * 2 ** 20;

/** The catalogue error of a failed tus request; without a response the upload can be resumed. */
export function errorOf(thrown: unknown): ApiError {
  const answer = thrown instanceof DetailedError ? thrown.originalResponse : null;
  if (!answer) return makeError("UPLOAD_NETWORK_ERROR");
  const status = answer.getStatus();
  // 507 means out of disk space; handle any other server error like a broken connection.
  if (status >= 500 && status !== 507) return makeError("UPLOAD_NETWORK_ERROR");
  let body: unknown = null;
  try {
    body = JSON.parse(answer.getBody());
  } catch {
    // The page of a proxy: use the status.
  }
  return errorOfResponse(new Response(null, { status }), body);
}

/** `scope`: where the files go, if an upload to one place must not be resumed for another. */
export function tusTransport(
  endpoint: string,
  purpose: "video" | "file" = "video",
  scope = "",
): Transport {
  const options = (file: File) => ({
    endpoint,
    chunkSize: CHUNK,
    // Transfers decide when to retry, so that users see it and can stop it.
    retryDelays: null,
    removeFingerprintOnSuccess: true,
    urlStorage: storedAddresses,
    metadata: { filename: file.name, purpose, ...(pathOf(file) && { path: pathOf(file) }) },
    // An upload of another purpose must not be resumed.
    fingerprint: () =>
      Promise.resolve(
        [
          "study",
          purpose,
          ...(scope ? [scope] : []),
          pathOf(file) || file.name,
          file.size,
          file.lastModified,
        ].join("-"),
      ),
    onBeforeRequest: async (request: { setHeader: (name: string, value: string) => void }) => {
      // For each chunk: the token is valid for 15 minutes, an upload may take hours.
      request.setHeader("Authorization", `Bearer ${await session.requireBearer()}`);
    },
  });

  return {
    start(task, events) {
      const base = options(task.file);
      let isStopped = false;
      let video: string | null = null;
      const upload: Upload = new Upload(task.file, {
        ...base,
        uploadUrl: task.url,
        metadata: {
          ...base.metadata,
          ...(task.target !== null && { target: task.target }),
          ...(task.replaces !== null && { replaces: task.replaces }),
          ...(task.conflict && { conflict: task.conflict }),
        },
        onAfterResponse: (_request, response) => {
          video = response.getHeader("Video-Uid") ?? video;
          if (upload.url && video !== null) events.onCreated(upload.url, video);
        },
        onUploadUrlAvailable: () => {
          if (upload.url) events.onCreated(upload.url, video);
        },
        onProgress: (sent) => events.onProgress(sent),
        onSuccess: () => events.onDone(),
        onError: (thrown) => {
          if (!isStopped) events.onFail(errorOf(thrown));
        },
      });
      upload.start();
      return {
        stop() {
          isStopped = true;
          void upload.abort();
        },
      };
    },

    async findPrevious(file) {
      const found = await new Upload(file, options(file)).findPreviousUploads();
      return found.at(-1)?.uploadUrl ?? null;
    },

    async remove(url) {
      const token = await session.requireBearer();
      const answer = await fetch(url, {
        method: "DELETE",
        headers: { "Tus-Resumable": "1.0.0", Authorization: `Bearer ${token}` },
      }).catch(() => {
        throw makeError(navigator.onLine ? "NETWORK_FAILED" : "NETWORK_OFFLINE");
      });
      const isGone = answer.status === 404 || answer.status === 410;
      if (!answer.ok && !isGone)
        throw errorOfResponse(answer, await answer.json().catch(() => null));
    },
  };
}
