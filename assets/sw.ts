/**
 * The service worker: without a connection, the page /offline takes the place of the browser's own error.
 * Nothing else of the site is kept: pages are always asked of the server. What is kept, and under which
 * version, the server writes in front of this script (studyplatform/site/public/offline.py).
 */
declare const kept: { version: string; page: string; files: string[] };

// TypeScript knows either pages or workers; these are the parts of a worker that are used here.
type Lasting = Event & { waitUntil: (work: Promise<unknown>) => void };
type Fetching = Event & {
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
    (type: "install" | "activate", heard: (event: Lasting) => void): void;
    (type: "fetch", heard: (event: Fetching) => void): void;
  };
};

const OURS = "study-offline-";
const cacheName = OURS + kept.version;
const files = new Set(kept.files);

/** Fetched by programs or too large to pass through here. */
const never = /^\/(api|admin|media|static|ws|mcp)(\/|$)/;

async function install(): Promise<void> {
  const cache = await caches.open(cacheName);
  // Without cookies: the page must name nobody, as it stays when its reader has signed out.
  const fresh = [kept.page, ...kept.files].map(
    (address) => new Request(address, { credentials: "omit", cache: "reload" }),
  );
  await cache.addAll(fresh); // all of them or none
  await worker.skipWaiting();
}

async function activate(): Promise<void> {
  const old = (await caches.keys()).filter((one) => one.startsWith(OURS) && one !== cacheName);
  await Promise.all(old.map((one) => caches.delete(one)));
  // The browser asks for the page while this script wakes up.
  await worker.registration.navigationPreload.enable();
  await worker.clients.claim();
}

async function open(event: Fetching): Promise<Response> {
  try {
    const early = (await event.preloadResponse) as Response | undefined;
    return early ?? (await fetch(event.request));
  } catch (reason) {
    const page = await caches.match(kept.page, { cacheName });
    if (page) return page;
    throw reason;
  }
}

async function keptOrFetched(request: Request): Promise<Response> {
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
  } else if (files.has(pathname)) event.respondWith(keptOrFetched(request));
});

export {};
