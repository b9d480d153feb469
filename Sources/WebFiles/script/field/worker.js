// Keeps the app on the phone, and sends what waits while it is closed. Before this text, the server writes BUILD, so that
// a new build has other bytes, and imports sendWaiting from the build.
/* global BUILD, sendWaiting */

const worker = /** @type {any} */ (globalThis);
const NAME = `fettle ${BUILD}`;
const SHELL = '/app/shell';
const TYPES = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', json: 'application/json' };

worker.addEventListener('install', (/** @type {any} */ event) => {
  event.waitUntil((async () => {
    const cache = await caches.open(NAME);
    await cache.addAll([SHELL, '/app/manifest.webmanifest'].map((path) => new Request(path, { cache: 'reload' })));
    // The whole build in one answer: on a thin network, each request counts.
    const answer = await fetch(`/app/b/${BUILD}/all.json`, { cache: 'reload' });
    if (!answer.ok) throw new Error(`the build answers ${answer.status}`);
    for (const [name, text] of Object.entries(await answer.json())) {
      const type = TYPES[/** @type {keyof typeof TYPES} */ (name.slice(name.lastIndexOf('.') + 1))];
      await cache.put(`/app/b/${BUILD}/${name}`, new Response(text, { headers: { 'content-type': type } }));
    }
  })());
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

worker.addEventListener('sync', (/** @type {any} */ event) => event.waitUntil(sendWaiting()));

worker.addEventListener('message', (/** @type {any} */ event) => {
  if (event.data === 'take over') worker.skipWaiting();
  if (event.data === 'count pages') {
    event.waitUntil(worker.clients.matchAll({ includeUncontrolled: true, type: 'window' }).then((/** @type {any[]} */ pages) =>
      event.ports[0].postMessage(pages.filter((page) => new URL(page.url).pathname.startsWith('/app/')).length)));
  }
});
