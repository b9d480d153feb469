// New builds: installed beside the one that runs, and used at a launch or when the person says so, never under a draft.
import { setting, setSetting } from './account.js';

/** @param {() => void} changed */
export const watchUpdates = (changed) => {
  /** @type {ServiceWorkerRegistration | undefined} */
  let registration;
  const factory = /** @type {any} */ (globalThis).trustedTypes;
  const policy = factory?.createPolicy('fettle', { createScriptURL: (/** @type {string} */ url) => url });
  const address = '/app/worker.js';
  const ready = (async () => {
    if (!navigator.serviceWorker) return;
    registration = await navigator.serviceWorker.register(policy ? policy.createScriptURL(address) : address, { scope: '/app/', type: 'module', updateViaCache: 'imports' });
    registration.addEventListener('updatefound', () => registration?.installing?.addEventListener('statechange', changed));
  })().catch(() => undefined);
  document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') registration?.update().catch(() => undefined); });
  const take = async () => {
    const waiting = registration?.waiting;
    if (!waiting) return false;
    await setSetting('taken', Date.now());
    await new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true });
      waiting.postMessage('take over');
      setTimeout(resolve, 5_000);
    });
    location.reload();
    return true;
  };
  return {
    ready,
    /** True if a new build waits. */
    get isWaiting() { return !!registration?.waiting && !!navigator.serviceWorker.controller; },
    /** Takes the new build into use, and loads this page again. */
    take,
    /** At a launch, takes a build that was waiting, if this is the only page. Returns true if the page is loading again. */
    takeWaiting: async () => {
      if (!navigator.serviceWorker?.controller) return false;
      registration = await navigator.serviceWorker.getRegistration('/app/');
      if (!registration?.waiting || Date.now() - (await setting('taken') ?? 0) < 60_000) return false;
      const channel = new MessageChannel();
      const pages = new Promise((resolve) => { channel.port1.onmessage = ({ data }) => resolve(data); setTimeout(() => resolve(2), 1_000); });
      registration.waiting.postMessage('count pages', [channel.port2]);
      return await pages === 1 && take();
    },
  };
};
