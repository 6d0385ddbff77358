// Shared tickers that run only while something on the page shows a time.
import { createSubscriber } from 'svelte/reactivity';

function ticker(every: number): () => number {
  const subscribe = createSubscriber((update) => {
    const timer = setInterval(update, every);
    return () => clearInterval(timer);
  });
  return () => {
    subscribe();
    return Date.now();
  };
}

/** For counters of seconds. */
export const everySecond = ticker(1000);
/** For "18 minutes ago". */
export const everyHalfMinute = ticker(30_000);
