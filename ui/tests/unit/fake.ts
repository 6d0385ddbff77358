// A backend for unit tests: answers are given, deltas are sent by hand.
import type { Answer, Backend } from '../../src/backend/backend';
import type { Command } from '../../src/bindings/Command';
import type { Delta } from '../../src/bindings/Delta';
import type { ServerRow } from '../../src/bindings/ServerRow';
import type { Snapshot } from '../../src/bindings/Snapshot';

export class FakeBackend implements Backend {
  readonly asked: Command[] = [];
  send: (delta: Delta) => void = () => {};
  lose: () => void = () => {};
  subscribed = 0;
  constructor(public snapshot: Snapshot) {}

  request<C extends Command>(command: C): Promise<Answer<C>> {
    this.asked.push(command);
    return Promise.resolve((command.cmd === 'snapshot' ? this.snapshot : null) as Answer<C>);
  }
  subscribe(delta: (delta: Delta) => void, lost: () => void): Promise<() => void> {
    this.subscribed += 1;
    this.send = delta;
    this.lose = lost;
    return Promise.resolve(() => {});
  }
  count(cmd: Command['cmd']): number {
    return this.asked.filter((command) => command.cmd === cmd).length;
  }
}

let rank = 0;
export function serverRow(name: string, rest: Partial<ServerRow> = {}): ServerRow {
  rank += 1;
  return {
    id: name, name, host: 'cursor', scope: 'user', rank, transport: 'stdio', summary: `run ${name}`, status: 'connected', reason: null,
    message: null, action: null, since: 0, retry_at: null, tools: 3, tools_cached: false, latency_ms: 5,
    toggle: { on: true, available: true, note: null }, shadowed_by: null, differs: [], errors: 0, warnings: 0, ...rest,
  };
}

export function snapshotOf(servers: ServerRow[], rest: Partial<Snapshot> = {}): Snapshot {
  return {
    revision: 1,
    servers,
    hosts: [{ id: 'cursor', name: 'Cursor', mark: '▲', servers: servers.length, errors: 0, warnings: 0, sources: [] }],
    findings: [],
    projects: { current: null, recent: [], candidates: [] },
    overall: { connect_at_start: 'all', theme: 'light', enable_mcp: true, files_watched: 1, last_change: null, alerts: [] },
    ...rest,
  };
}
