// Served as /sw.js while SERVICE_WORKER is off: it replaces the worker in every browser, deletes what that has cached,
// and unregisters itself. Without a listener for fetch, all requests go to the server at once.
addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(remove()));

async function remove() {
  const kept = (await caches.keys()).filter((name) => name.startsWith("study-"));
  await Promise.all(kept.map((name) => caches.delete(name)));
  await registration.unregister();
}
