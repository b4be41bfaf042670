/** Responses of the offline API, in the shapes of the server's. */
import { type ErrorCode, problemOf } from "../../../shared/api/errors";

export const respond = (data: unknown, status = 200): Response => Response.json(data, { status });

/** A refusal as problem details (RFC 9457). */
export function refuse(
  code: ErrorCode,
  status: number,
  params: Record<string, unknown> = {},
  words?: { title: string; message: string },
): Response {
  const problem = problemOf(code, status, params);
  if (words) Object.assign(problem, { title: words.title, detail: words.message });
  return new Response(JSON.stringify(problem), {
    status,
    headers: { "Content-Type": "application/problem+json" },
  });
}
