// What the welcome view offers to connect.
import type { HostRow } from '../../bindings/HostRow';
import type { ServerRow } from '../../bindings/ServerRow';

/** Servers that would run if asked: not off, not shadowed, not waiting for an approval. */
export function canStart(row: ServerRow): boolean {
  switch (row.reason) {
    case 'needs_approval':
    case 'disabled':
    case 'denied':
    case 'host_disabled':
    case 'shadowed':
    case 'invalid':
    case 'project_off':
    case 'filtered':
      return false;
    case 'failed':
    case 'needs_sign_in':
    case 'retrying':
    case 'idle':
    case 'stopped':
    case null:
      return true;
  }
}

export interface HostGroup {
  host: HostRow;
  rows: ServerRow[];
}

export function byHost(hosts: HostRow[], rows: ServerRow[]): HostGroup[] {
  return hosts
    .map((host) => ({ host, rows: rows.filter((row) => row.host === host.id).sort((a, b) => a.rank - b.rank) }))
    .filter((group) => group.rows.length > 0);
}
