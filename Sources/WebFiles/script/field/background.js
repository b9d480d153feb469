// Sends what waits when a network is back and the app is closed. Browsers without this send at the next launch.
import { accounts, setting } from './account.js';
import { Store } from './store.js';
import { Sync } from './sync.js';

/** Asks the browser to wake the worker when there is a network. */
export const wakeLater = async () => {
  const registration = /** @type {any} */ (await navigator.serviceWorker?.getRegistration('/app/'));
  await registration?.sync?.register('send').catch(() => undefined);
};

/** Sends everything of the person who uses the phone. If this fails, the browser tries again later. */
export const sendWaiting = async () => {
  const key = await setting('current');
  const account = (await accounts()).find((one) => one.key === key);
  if (!account || account.isOut) return;
  const store = await new Store(account).load();
  try {
    const sync = new Sync(store);
    if (!await sync.run() && sync.problem === 'offline') throw new Error(sync.problem);
  } finally { await store.close(); }
};
