/**
 * The service worker: without a connection it shows the shell that was stored with lessons, or the page /offline, and it
 * decrypts what players and pictures ask for of stored lessons. No page of somebody signed in is ever cached. The
 * server writes the general page's list of files and its version in front of this script
 * (studyplatform/site/public/offline.py).
 */
import { MEDIA_PATH, SHELL_PAGE, STATIC_PATH, UPDATE_MESSAGE } from "./offline/names";
import { answerMedia } from "./offline/worker/media";
import { answerStatic, findOwnShell, findShell } from "./offline/worker/shell";

declare const cached: { version: string; page: string; files: string[] };

// TypeScript has types for either pages or workers; these are the parts of a worker that are used here.
type ExtendableEvent = Event & { waitUntil: (work: Promise<unknown>) => void };
type Condition = { urlPattern: { pathname: string; search?: string } } | { requestMode: string };
type Route = { condition: Condition; source: unknown };
type InstallEvent = ExtendableEvent & { addRoutes?: (routes: Route[]) => Promise<void> };
type FetchEvent = Event & {
  request: Request;
  preloadResponse: Promise<unknown>;
  respondWith: (answer: Promise<Response>) => void;
};
const worker = globalThis as unknown as {
  location: Location;
  registration: ServiceWorkerRegistration;
  clients: { claim: () => Promise<void> };
  skipWaiting: () => Promise<void>;
  InstallEvent?: { prototype: object };
  addEventListener: {
    (type: "install", listener: (event: InstallEvent) => void): void;
    (type: "activate", listener: (event: ExtendableEvent) => void): void;
    (type: "fetch", listener: (event: FetchEvent) => void): void;
    (type: "message", listener: (event: MessageEvent) => void): void;
  };
};

const OURS = "study-offline-";
const cacheName = OURS + cached.version;
const files = new Set(cached.files);

/** Used by programs, or too large to pass through a service worker. */
const never = /^\/(api|admin|media|static|ws|mcp)(\/|$)/;

/** How long a page may take before a stored shell is shown in its place. */
const MAX_WAIT_FOR_PAGE_MS = 12_000;
const MAX_WAIT_FOR_RELOAD_MS = 60_000;

/** Whether the browser takes such rules (Chromium since 123). */
const hasRoutes = "addRoutes" in (worker.InstallEvent?.prototype ?? {});

/** Where browsers can, they decide by themselves which requests start the worker. The first rule that fits counts. */
async function route(event: InstallEvent): Promise<void> {
  const at = (pathname: string) => ({ urlPattern: { pathname } });
  await event.addRoutes?.([
    { condition: at("/offline/*"), source: "fetch-event" },
    // The shell of a stored lesson must not race the server's page.
    {
      condition: { urlPattern: { pathname: SHELL_PAGE, search: "lesson=*" } },
      source: "fetch-event",
    },
    ...["api", "admin", "media", "ws", "mcp"].map((name) => ({
      condition: at(`/${name}/*`),
      source: "network",
    })),
    { condition: at("/static/*"), source: { cacheName } },
    // A page is requested while the worker starts, and need not wait for it.
    { condition: { requestMode: "navigate" }, source: "race-network-and-fetch-handler" },
  ]);
}

async function install(event: InstallEvent): Promise<void> {
  // Without these rules, all requests start the worker.
  await route(event).catch(() => undefined);
  const cache = await caches.open(cacheName);
  // Without cookies: the page must not name the user, as it stays cached after signing out.
  const fresh = [cached.page, ...cached.files].map(
    (address) => new Request(address, { credentials: "omit", cache: "reload" }),
  );
  await cache.addAll(fresh); // all of them or none
}

async function activate(): Promise<void> {
  const old = (await caches.keys()).filter((one) => one.startsWith(OURS) && one !== cacheName);
  await Promise.all(old.map((one) => caches.delete(one)));
  // Without the rule that lets pages race the worker, the browser requests a page while this script starts. With it, that
  // would only make pages slower.
  const { navigationPreload } = worker.registration;
  await (hasRoutes ? navigationPreload.disable() : navigationPreload.enable());
  await worker.clients.claim();
}

async function fetchPage({ preloadResponse, request }: FetchEvent): Promise<Response> {
  const early = (await preloadResponse) as Response | undefined;
  return early ?? (await fetch(request));
}

/** Whether a page shows a stored lesson, which goes with the shell of its build: the server's page may be of another. */
function isStoredLesson({ url }: Request): boolean {
  const { pathname, searchParams } = new URL(url);
  return pathname === SHELL_PAGE && searchParams.has("lesson");
}

async function open(event: FetchEvent): Promise<Response> {
  if (isStoredLesson(event.request)) {
    const own = await findOwnShell().catch(() => undefined);
    if (own) return own;
  }
  // A reload, as the shell does when the server answers again, is for the page of the server.
  const isReload = /^(no-cache|reload)$/.test(event.request.cache);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const shell = new Promise<Response>((resolve) => {
    const show = async (): Promise<void> => {
      const page = await findShell();
      if (page) resolve(page);
    };
    timer = setTimeout(
      () => void show().catch(() => undefined),
      isReload ? MAX_WAIT_FOR_RELOAD_MS : MAX_WAIT_FOR_PAGE_MS,
    );
  });
  try {
    return await Promise.race([fetchPage(event), shell]);
  } catch (reason) {
    const page = (await findShell()) ?? (await caches.match(cached.page, { cacheName }));
    if (page) return page;
    throw reason;
  } finally {
    clearTimeout(timer);
  }
}

async function cachedOrFetched(request: Request): Promise<Response> {
  return (await caches.match(request.url, { cacheName })) ?? fetch(request);
}

worker.addEventListener("install", (event) => event.waitUntil(install(event)));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));
worker.addEventListener("message", ({ data }) => {
  if (data === UPDATE_MESSAGE) void worker.skipWaiting();
});
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== worker.location.origin || !/^(GET|HEAD)$/.test(request.method)) return;
  if (pathname.startsWith(MEDIA_PATH)) event.respondWith(answerMedia(request));
  else if (request.method === "HEAD") return;
  else if (pathname.startsWith(STATIC_PATH)) event.respondWith(answerStatic(request));
  else if (request.mode === "navigate") {
    if (!never.test(pathname)) event.respondWith(open(event));
  } else if (files.has(pathname)) event.respondWith(cachedOrFetched(request));
});
