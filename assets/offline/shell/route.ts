/** What the address asks for. */
export type Route =
  | { page: "list" }
  | { page: "lesson"; path: string }
  | { page: "stored"; lesson: string }
  | { page: "audio"; lesson: string }
  | { page: "course"; slug: string }
  | { page: "dashboard" }
  | { page: "practice"; source: string }
  | { page: "other" };

const pages: Record<string, Route> = {
  "/dashboard": { page: "dashboard" },
  "/me/dashboard": { page: "dashboard" },
};

/** The page at an address. `/offline?lesson=` opens a stored lesson also with a connection. */
export function routeOf({ pathname, search }: { pathname: string; search: string }): Route {
  const path = pathname.length > 1 ? pathname.replace(/\/$/, "") : pathname;
  const query = new URLSearchParams(search);
  const lesson = query.get("lesson") ?? "";
  if (path === "/offline") return lesson ? { page: "stored", lesson } : { page: "list" };
  if (path === "/audio-fallback") return { page: "audio", lesson };
  if (path === "/practice" || path === "/me/practice")
    return { page: "practice", source: query.get("source") ?? "" };
  if (/^\/learn\/[^/]+\/[^/]+$/.test(path)) return { page: "lesson", path };
  const course = /^\/learn\/([^/]+)$/.exec(path)?.[1];
  if (course) return { page: "course", slug: course };
  if (path === "/course/lessons") return { page: "course", slug: query.get("course") ?? "" };
  return pages[path] ?? { page: "other" };
}
