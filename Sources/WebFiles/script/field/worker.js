// Keeps the app on the phone. The server writes BUILD and FILES before this text; a new build has other bytes.
/* global BUILD, FILES */

const worker = /** @type {any} */ (globalThis);
const NAME = `fettle ${BUILD}`;
const SHELL = '/app/shell';

worker.addEventListener('install', (/** @type {any} */ event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES.map((file) => new Request(file, { cache: 'reload' })))));
});

worker.addEventListener('activate', (/** @type {any} */ event) => {
  // Pages of an older build have loaded all that they need.
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (name.startsWith('fettle ') && name !== NAME) await caches.delete(name);
    await worker.clients.claim();
  })());
});

worker.addEventListener('fetch', (/** @type {any} */ event) => {
  const url = new URL(event.request.url);
  // Data is never kept here: only the app's own files, from the cache of this build.
  if (url.origin !== location.origin || !url.pathname.startsWith('/app/') || event.request.method !== 'GET') return;
  event.respondWith((async () => {
    const cache = await caches.open(NAME);
    const kept = await cache.match(event.request.mode === 'navigate' ? SHELL : url.pathname);
    return kept ?? fetch(event.request);
  })());
});

worker.addEventListener('message', (/** @type {any} */ event) => {
  if (event.data === 'take over') worker.skipWaiting();
  if (event.data === 'count pages') {
    event.waitUntil(worker.clients.matchAll({ includeUncontrolled: true, type: 'window' }).then((/** @type {any[]} */ pages) =>
      event.ports[0].postMessage(pages.filter((page) => new URL(page.url).pathname.startsWith('/app/')).length)));
  }
});
