// The right-hand words of a row: at most two short lines.
import type { ServerRow } from '../../bindings/ServerRow';
import { t } from '../../i18n';
import { secondsSince, secondsUntil } from '../../state/time';

/** `now` is asked only where a counter ticks, so that other rows are not redrawn every second. */
export function metaLines(row: ServerRow, hostName: string, now: () => number): string[] {
  const tools = row.tools === null ? null : (row.tools_cached ? t.list.toolsCached : t.list.tools)(row.tools);
  const lines = (...all: (string | null)[]): string[] => all.filter((line) => line !== null);
  if (row.status === 'connecting') return lines(t.list.connecting(secondsSince(row.since, now())), tools);
  if (row.status === 'connected') return lines(tools, row.latency_ms === null ? null : t.list.latency(row.latency_ms));
  switch (row.reason) {
    case 'shadowed':
      return row.shadowed_by === null ? [t.reasons.shadowed] : [t.list.shadowedBy, row.shadowed_by];
    case 'host_disabled':
      // On, and no way to it: an extension or a plugin has the server.
      return [row.toggle.on && row.message !== null ? t.list.elsewhere : t.list.offIn(hostName)];
    case 'retrying': {
      const seconds = row.retry_at === null ? 0 : secondsUntil(row.retry_at, now());
      return [seconds > 0 ? t.list.retryingIn(seconds) : t.list.retryingNow];
    }
    case 'idle':
    case 'stopped':
      return lines(t.reasons[row.reason], tools);
    case 'failed':
    case 'needs_sign_in':
    case 'needs_approval':
    case 'invalid':
    case 'disabled':
    case 'denied':
    case 'project_off':
    case 'filtered':
      return [t.reasons[row.reason]];
    case null:
      return [];
  }
}
