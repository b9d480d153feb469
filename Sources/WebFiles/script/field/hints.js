// Listens for hints of the server that something may have changed, while the app is seen.

/**
 * @param {import('./sync.js').Sync} sync
 * @param {() => void} heard
 * @param {AbortSignal} signal ends the listening
 */
export const listen = (sync, heard, signal) => {
  /** @type {AbortController | undefined} */
  let current;
  let pause = 5_000;
  const begin = async () => {
    if (signal.aborted || document.visibilityState !== 'visible' || current) return;
    const controller = current = new AbortController();
    try {
      const answer = await sync.call('/v1/sync/events', { signal: controller.signal });
      const reader = answer.ok ? answer.body?.pipeThrough(new TextDecoderStream()).getReader() : undefined;
      let isFirst = true;
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        if (!part.value?.includes('event: hint')) continue;
        pause = 5_000;
        // The first hint only says that the stream is open.
        if (!isFirst) heard();
        isFirst = false;
      }
    } catch { /* no network: the next attempt follows */ }
    if (current === controller) current = undefined;
    pause = Math.min(pause * 2, 300_000);
    if (!signal.aborted) setTimeout(begin, pause);
  };
  const turn = () => { if (document.visibilityState === 'visible') begin(); else { current?.abort(); current = undefined; } };
  document.addEventListener('visibilitychange', turn, { signal });
  signal.addEventListener('abort', () => current?.abort());
  begin();
};
