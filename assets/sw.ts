/**
 * The service worker: shows the page /offline while there is no connection. Nothing else is cached: all other pages
 * come from the server, which writes the list of cached files and its version in front of this script
 * (studyplatform/site/public/offline.py).
 */
declare const cached: { version: string; page: string; files: string[] };

// TypeScript has types for either pages or workers; these are the parts of a worker that are used here.
type ExtendableEvent = Event & { waitUntil: (work: Promise<unknown>) => void };
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
  addEventListener: {
    (type: "install" | "activate", listener: (event: ExtendableEvent) => void): void;
    (type: "fetch", listener: (event: FetchEvent) => void): void;
  };
};

const OURS = "study-offline-";
const cacheName = OURS + cached.version;
const files = new Set(cached.files);

/** Used by programs, or too large to pass through a service worker. */
const never = /^\/(api|admin|media|static|ws|mcp)(\/|$)/;

async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  // Without cookies: the page must not name the user, as it stays cached after signing out.
  const fresh = [cached.page, ...cached.files].map(
    (address) => new Request(address, { credentials: "omit", cache: "reload" }),
  );
  await cache.addAll(fresh); // all of them or none
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  const old = (await caches.keys()).filter((one) => one.startsWith(OURS) && one !== cacheName);
  await Promise.all(old.map((one) => caches.delete(one)));
  // The browser requests the page while this script starts.
  await worker.registration.navigationPreload.enable();
  await worker.clients.claim();
}

async function open(event: FetchEvent): Promise<Response> {
  try {
    const early = (await event.preloadResponse) as Response | undefined;
    return early ?? (await fetch(event.request));
  } catch (reason) {
    const page = await caches.match(cached.page, { cacheName });
    if (page) return page;
    throw reason;
  }
}

async function cachedOrFetched(request: Request): Promise<Response> {
  return (await caches.match(request.url, { cacheName })) ?? fetch(request);
}

worker.addEventListener("install", (event) => event.waitUntil(install()));
worker.addEventListener("activate", (event) => event.waitUntil(activate()));
worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== worker.location.origin || request.method !== "GET") return;
  if (request.mode === "navigate") {
    if (!never.test(pathname)) event.respondWith(open(event));
  } else if (files.has(pathname)) event.respondWith(cachedOrFetched(request));
});

export {};
