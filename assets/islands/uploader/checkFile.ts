/** What can be said about a file before a byte of it is sent. The server decides; this saves hours. */
import { type ApiError, makeError } from "../../shared/api/errors";
import { bytes } from "../../shared/format";

/** From the settings that the server enforces. */
export type Limits = {
  /** Bytes a lecture video may have. */
  video: number;
  videoLabel: string;
  fileLabel: string;
  formats: string[];
  /** Endings that promise a video, with their dots. */
  endings: string[];
};

/** Why this file would be refused, or null. `free`: bytes left, if that is known. */
export function refusalOf(
  file: Pick<File, "name" | "size">,
  limits: Limits,
  free: number | null,
  allowance = 0,
): ApiError | null {
  if (file.size === 0) return makeError("FILE_EMPTY");
  const ending = /\.[^.]*$/.exec(file.name)?.[0].toLowerCase() ?? "";
  if (ending !== "" && !limits.endings.includes(ending))
    return makeError("UPLOAD_FORMAT_UNSUPPORTED", { formats: limits.formats.join(", ") });
  if (file.size > limits.video)
    return makeError("UPLOAD_FILE_TOO_LARGE", {
      limit: limits.videoLabel,
      video_limit: limits.videoLabel,
      file_limit: limits.fileLabel,
    });
  if (free !== null && file.size > free)
    return makeError("UPLOAD_QUOTA_EXCEEDED", {
      needed: bytes(file.size),
      free: bytes(free),
      allowance: bytes(allowance),
    });
  return null;
}
