/** The offline API: answers calls of the islands from this device. What it doesn't know is left to the server. */
import type { LocalAnswer } from "../../../shared/api/client";
import { NotAuthenticated } from "../../../shared/auth/session";
import type { Store } from "../store";
import { noteRoutes } from "./notes";
import { courseRoutes } from "./course";
import { practiceRoutes } from "./practice";
import { progressRoutes } from "./progress";
import { quizRoutes } from "./quiz";

const PART = "([\\w-]+)";

/** The function that `reach` asks first, for the account of a store. */
export function makeAnswer(store: Store): LocalAnswer {
  const routes = [progressRoutes, noteRoutes, quizRoutes, practiceRoutes, courseRoutes]
    .flatMap((all) => Object.entries(all))
    .map(([pattern, handle]) => {
      const [method = "", path = ""] = pattern.split(" ");
      return { method, path: new RegExp(`^${path.replace(/\{\w+\}/g, PART)}$`), handle };
    });
  return async (request) => {
    const { pathname, searchParams, origin } = new URL(request.url);
    if (origin !== location.origin) return null;
    for (const { method, path, handle } of routes) {
      const found = method === request.method ? path.exec(pathname) : null;
      if (!found) continue;
      if (!(await store.isCurrent())) throw new NotAuthenticated();
      const text = request.method === "GET" ? "" : await request.clone().text();
      const body: unknown = text ? JSON.parse(text) : null;
      const [, uid = "", other = ""] = found;
      return handle({ store, uid, other, query: searchParams, body });
    }
    return null;
  };
}
