/** Checks a file before it is uploaded. The server decides; this saves hours. */
import { type ApiError, makeError } from "../../shared/api/errors";
import { bytes } from "../../shared/format";

/** The limits that the server enforces. */
export type Limits = {
  /** Most bytes of a lecture video. */
  video: number;
  videoLabel: string;
  fileLabel: string;
  formats: string[];
  /** File name extensions of videos, with their dots. */
  endings: string[];
};

/**
 * The error with which the server would reject this file, or null.
 * @param free bytes of storage left; null if unknown
 */
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
