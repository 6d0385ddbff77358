// The engine's state as this window knows it. Written by `sync` only.
import { SvelteMap } from 'svelte/reactivity';
import type { Change } from '../bindings/Change';
import type { Delta } from '../bindings/Delta';
import type { Finding } from '../bindings/Finding';
import type { HostRow } from '../bindings/HostRow';
import type { Overall } from '../bindings/Overall';
import type { Projects } from '../bindings/Projects';
import type { ServerRow } from '../bindings/ServerRow';
import type { Snapshot } from '../bindings/Snapshot';
import { inView, VIEWS, type View } from './rows';

export type Step = 'apply' | 'ignore' | 'gap';

/** What to do with a delta, seen from the revision we have. */
export function step(have: number, delta: number): Step {
  if (delta <= have) return 'ignore';
  return delta === have + 1 ? 'apply' : 'gap';
}

export class Model {
  revision = -1;
  /** One signal a row: a change of one does not redraw the others. */
  readonly servers = new SvelteMap<string, ServerRow>();
  hosts = $state.raw<HostRow[]>([]);
  findings = $state.raw<Finding[]>([]);
  projects = $state.raw<Projects>({ current: null, recent: [], candidates: [] });
  overall = $state.raw<Overall>({
    connect_at_start: 'none',
    theme: 'system',
    enable_mcp: true,
    files_watched: 0,
    last_change: null,
    alerts: [],
  });
  /** Sequence number of the newest log line known of, by server. */
  readonly logs = new SvelteMap<string, number>();

  /** Counts how often a server has told that its tools are others. */
  readonly toolVersions = new SvelteMap<string, number>();

  readonly rows = $derived([...this.servers.values()]);
  readonly counts = $derived.by(() => {
    const counts = Object.fromEntries(VIEWS.map((view) => [view, 0])) as Record<View, number>;
    for (const row of this.rows) for (const view of VIEWS) if (inView(row, view)) counts[view] += 1;
    return counts;
  });
  /** Of connected servers. */
  readonly tools = $derived(
    this.rows.reduce((sum, row) => sum + (row.status === 'connected' ? (row.tools ?? 0) : 0), 0),
  );
  readonly hostNames = $derived(new Map(this.hosts.map((host) => [host.id, host.name])));

  replace(snapshot: Snapshot): void {
    this.revision = snapshot.revision;
    const ids = new Set(snapshot.servers.map((row) => row.id));
    for (const id of this.servers.keys()) if (!ids.has(id)) this.servers.delete(id);
    for (const row of snapshot.servers) this.servers.set(row.id, row);
    this.hosts = snapshot.hosts;
    this.findings = snapshot.findings;
    this.projects = snapshot.projects;
    this.overall = snapshot.overall;
  }

  /** Call only when `step` says so. */
  apply(delta: Delta): void {
    this.revision = delta.revision;
    for (const change of delta.changes) this.#change(change);
  }

  #change(change: Change): void {
    switch (change.kind) {
      case 'server':
        this.servers.set(change.row.id, change.row);
        break;
      case 'server_gone':
        this.servers.delete(change.id);
        break;
      case 'hosts':
        this.hosts = change.hosts;
        break;
      case 'findings':
        this.findings = change.findings;
        break;
      case 'projects':
        this.projects = change.projects;
        break;
      case 'overall':
        this.overall = change.overall;
        break;
      case 'tools':
        this.toolVersions.set(change.id, (this.toolVersions.get(change.id) ?? 0) + 1);
        break;
      case 'log':
        this.logs.set(change.id, change.last);
        break;
    }
  }
}
