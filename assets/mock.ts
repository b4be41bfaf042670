/** MOCK_API: responds to API calls of islands with recorded responses (`manage.py record_api`). */
import recorded from "./mock/answers.json";

type Recorded = { operation: string; status: number; body: unknown };

function matches({ operation }: Recorded, method: string, path: string): boolean {
  const [verb, template = ""] = operation.split(" ");
  const pattern = template.split(/\{\w+\}/).map((part) => part.replaceAll(".", "\\."));
  return verb === method && new RegExp(`^${pattern.join("[^/]+")}$`).test(path);
}

/** The recorded response to a call; 404 if none was recorded. */
export function answer(request: Request): Response {
  const { pathname } = new URL(request.url);
  const found = (recorded as Recorded[]).find((one) => matches(one, request.method, pathname));
  if (!found) {
    const detail = `No answer to ${request.method} ${pathname} is recorded. See manage.py record_api.`;
    return Response.json({ code: "NOT_FOUND", detail }, { status: 404 });
  }
  return found.body === null
    ? new Response(null, { status: found.status })
    : Response.json(found.body, { status: found.status });
}
