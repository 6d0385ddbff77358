// The drawing's data, and variations of it. Shapes as in src/bindings.
const MINUTE = 60_000;
const now = Date.now();
const today = (hours, minutes, seconds) => new Date().setHours(hours, minutes, seconds, 0);

const hosts = [
  ['xcsh', 'xcsh', 'x', ['~/.xcsh/mcp.json', 'user']],
  ['claude-code', 'Claude Code', 'C', ['~/.claude.json', 'user']],
  ['claude-desktop', 'Claude Desktop', 'D', ['~/.config/Claude/claude_desktop_config.json', 'user']],
  ['cursor', 'Cursor', '▲', ['~/.cursor/mcp.json', 'user'], ['~/code/shop/.cursor/mcp.json', 'project']],
  ['vscode', 'VS Code', 'V', ['~/.config/Code/User/mcp.json', 'user'], ['~/code/shop/.vscode/mcp.json', 'project']],
  ['codex', 'Codex', 'X', ['~/.codex/config.toml', 'user'], ['/etc/codex/config.toml', 'managed']],
  ['dot-mcp', '.mcp.json', '·', ['~/code/shop/.mcp.json', 'project']],
];
const absolute = (path) => path.replace('~', '/home/ana');

let rank = 0;
function row(name, host, scope, summary, rest = {}) {
  rank += 1;
  return {
    id: `${host}:${scope}:${name}`,
    name,
    host,
    scope,
    rank,
    transport: summary.startsWith('http') ? 'http' : 'stdio',
    summary,
    status: 'connected',
    reason: null,
    message: null,
    action: null,
    since: now - 18 * MINUTE,
    retry_at: null,
    tools: null,
    tools_cached: false,
    latency_ms: null,
    toggle: { on: true, available: true, note: null },
    shadowed_by: null,
    differs: [],
    errors: 0,
    warnings: 0,
    ...rest,
  };
}
const down = (reason, rest = {}) => ({ status: 'disconnected', reason, ...rest });
const off = { toggle: { on: false, available: true, note: null } };
const up = (tools, latency_ms) => ({ tools, latency_ms });

export function drawing() {
  rank = 0;
  const servers = [
    row('linear', 'claude-code', 'user', 'https://mcp.linear.app/mcp', down('needs_sign_in', { message: 'Sign-in expired 12 minutes ago', action: 'details' })),
    row('postgres', 'cursor', 'project', 'uvx postgres-mcp', down('failed', { message: 'Exited with code 1: DATABASE_URL is not set', action: 'reconnect' })),
    row('deploy', 'dot-mcp', 'project', './tools/deploy-mcp --target staging', down('needs_approval', { message: 'New command in this project. Review it before it runs', action: 'review', ...off })),
    row('playwright', 'claude-code', 'user', 'npx -y @playwright/mcp', { status: 'connecting', since: Date.now() - 3000, tools: 22, tools_cached: true }),
    row('github', 'xcsh', 'user', 'https://api.githubcopilot.com/mcp/', { ...up(38, 84), warnings: 1 }),
    row('filesystem', 'cursor', 'user', 'npx -y @modelcontextprotocol/server-filesystem ~/code', up(14, 3)),
    row('sentry', 'vscode', 'project', 'https://mcp.sentry.dev/mcp', up(16, 112)),
    row('memory', 'claude-desktop', 'user', 'npx -y @modelcontextprotocol/server-memory', up(9, 2)),
    row('figma', 'claude-code', 'user', 'http://127.0.0.1:3845/mcp', up(24, 11)),
    row('context7', 'xcsh', 'user', 'npx -y @upstash/context7-mcp', up(2, 41)),
    row('atlassian', 'vscode', 'user', 'https://mcp.atlassian.com/v1/sse', up(40, 230)),
    row('puppeteer', 'claude-desktop', 'user', 'npx -y puppeteer-mcp-server', down('disabled', off)),
    row('browserbase', 'claude-code', 'user', 'npx -y @browserbasehq/mcp', down('denied', off)),
    row('github', 'cursor', 'user', 'docker run -i --rm ghcr.io/github/github-mcp-server', down('shadowed', { shadowed_by: 'xcsh, user', differs: ['url', 'headers', 'timeout'], toggle: { on: false, available: false, note: 'The definition of xcsh is in use. Cursor still starts this one itself.' } })),
    row('filesystem', 'codex', 'user', 'npx -y @modelcontextprotocol/server-filesystem /srv', down('shadowed', { shadowed_by: 'Cursor, user', differs: ['args'], toggle: { on: false, available: false, note: 'The definition of Cursor is in use.' } })),
  ];
  return {
    revision: 1,
    servers,
    hosts: hostRows(servers),
    findings: [
      {
        id: 'f1', fixes: [], code: 'unknown_key', severity: 'warning', title: 'Unknown key `startup_timeout`',
        detail: 'Codex reads `startup_timeout_sec`. The value is ignored.', path: absolute('~/.codex/config.toml'),
        display_path: '~/.codex/config.toml', line: 14, column: 1, server: null,
      },
      {
        id: 'f2', fixes: [], code: 'unset_variable', severity: 'warning', title: 'Header `X-Team` was left out',
        detail: 'The variable `TEAM_ID` is not set.', path: absolute('~/.xcsh/mcp.json'), display_path: '~/.xcsh/mcp.json',
        line: 9, column: 7, server: 'github',
      },
    ],
    projects: {
      current: project('~/code/shop'),
      recent: [project('~/code/shop'), project('~/code/site')],
      candidates: [project('~/code/jackfield'), project('~/work/a-customer-with-a-long-name/the-portal')],
    },
    overall: {
      connect_at_start: 'all', theme: 'system', enable_mcp: true, files_watched: 9,
      last_change: { display_path: '~/.xcsh/mcp.json', at: now - 18 * MINUTE },
      alerts: [],
    },
  };
}

const project = (display_path) => ({ path: absolute(display_path), display_path });

function hostRows(servers) {
  return hosts.map(([id, name, mark, ...sources]) => ({
    id,
    name,
    mark,
    servers: servers.filter((one) => one.host === id).length,
    errors: 0,
    warnings: id === 'codex' ? 1 : 0,
    sources: sources.map(([display_path, scope]) => ({
      path: absolute(display_path),
      display_path,
      scope,
      exists: scope !== 'managed',
      servers: scope === 'managed' ? 0 : servers.filter((one) => one.host === id && one.scope === scope).length,
      error: null,
      note: scope === 'managed' ? 'Set by an administrator.' : null,
    })),
  }));
}

/** Every state there is, once. */
export function everyState() {
  const snapshot = drawing();
  const idle = { ...off };
  snapshot.servers.push(
    row('retrying', 'xcsh', 'user', 'https://flaky.example/mcp', down('retrying', { message: 'Connection refused', action: 'reconnect', retry_at: Date.now() + 4000 })),
    row('invalid', 'cursor', 'user', '', down('invalid', { message: 'Neither `command` nor `url`', action: 'open_file', errors: 1 })),
    row('idle', 'xcsh', 'user', 'uvx mcp-server-time', down('idle', { action: 'connect', tools: 2, tools_cached: true })),
    row('stopped', 'xcsh', 'user', 'uvx mcp-server-git', down('stopped', { action: 'connect' })),
    row('host-off', 'codex', 'user', 'uvx thing', down('host_disabled', idle)),
    row('project-off', 'dot-mcp', 'project', './run', down('project_off', idle)),
    row('filtered', 'vscode', 'user', 'https://mcp.exa.ai/mcp', down('filtered', { ...idle, message: 'Agents bring this search themselves' })),
    row('a-name-so-long-that-it-cannot-fit-into-any-row-of-the-list', 'claude-desktop', 'user', `npx ${'--flag=value '.repeat(20)}`, down('failed', { message: 'Exited with code 127: a very long message that has to be cut at the end of the row', action: 'reconnect' })),
  );
  snapshot.hosts = hostRows(snapshot.servers);
  snapshot.hosts[3].errors = 1;
  snapshot.hosts[3].sources[1] = { ...snapshot.hosts[3].sources[1], servers: null, error: 'Expected `,` or `}` at line 12, column 5' };
  snapshot.findings.push({
    id: 'f3', fixes: [], code: 'syntax', severity: 'error', title: 'The file does not parse', detail: 'Expected `,` or `}` at line 12, column 5.',
    path: absolute('~/code/shop/.cursor/mcp.json'), display_path: '~/code/shop/.cursor/mcp.json', line: 12, column: 5, server: null,
  });
  return snapshot;
}

export function welcome() {
  const snapshot = drawing();
  snapshot.overall.connect_at_start = null;
  snapshot.servers = snapshot.servers.map((one) =>
    ['connected', 'connecting'].includes(one.status) || ['needs_sign_in', 'failed'].includes(one.reason)
      ? { ...one, status: 'disconnected', reason: 'idle', message: null, action: 'connect', latency_ms: null }
      : one,
  );
  return snapshot;
}

export function empty(connect_at_start = 'none') {
  const snapshot = drawing();
  snapshot.servers = [];
  snapshot.findings = [];
  snapshot.hosts = hostRows([]).map((host) => ({
    ...host, warnings: 0, sources: host.sources.map((source) => ({ ...source, exists: false, servers: 0 })),
  }));
  snapshot.projects = { current: null, recent: [], candidates: [] };
  snapshot.overall = { ...snapshot.overall, connect_at_start, last_change: null, files_watched: 0 };
  return snapshot;
}

export function many(count) {
  const snapshot = drawing();
  rank = 100;
  for (let n = 0; n < count; n += 1) {
    snapshot.servers.push(row(`server-${n}`, hosts[n % 6][0], 'user', `npx -y @example/server-${n}`, up(20, n % 300)));
  }
  snapshot.hosts = hostRows(snapshot.servers);
  return snapshot;
}

const schema = {
  type: 'object',
  properties: {
    owner: { type: 'string', description: 'Owner of the repository' },
    repo: { type: 'string' },
    state: { enum: ['open', 'closed', 'all'] },
    page: { type: 'integer', minimum: 1 },
  },
  required: ['owner', 'repo', 'state'],
};
const names = ['list_issues', 'get_issue', 'create_issue', 'update_issue', 'search_code', 'get_file_contents', 'create_branch', 'delete_file', 'merge_pull_request', 'list_commits', 'search_repositories', 'fork_repository'];

export function tools(server) {
  return Array.from({ length: server.tools ?? 0 }, (_, n) => {
    const name = `${names[n % names.length]}${n < names.length ? '' : `_${Math.floor(n / names.length) + 1}`}`;
    return {
      name,
      exposed: `mcp__${server.name}_${name}`,
      title: n === 1 ? 'Get an issue' : null,
      description: `${name.replaceAll('_', ' ')} of a repository.\nReturns at most 100 entries a page. <b>Not bold</b>: server text is inert.`,
      input_schema: schema,
      output_schema: null,
      read_only: name.startsWith('list') || name.startsWith('get') || name.startsWith('search'),
      destructive: name.startsWith('delete'),
      cached: server.tools_cached,
    };
  });
}

const line = (seq, at, kind, tone, text) => ({ seq, at, kind, tone, text });

export const recent = () => [
  line(9, today(14, 2, 11), 'lifecycle', 'good', 'Connected in 412 ms, 38 tools'),
  line(8, today(14, 2, 10), 'lifecycle', 'neutral', 'Token refreshed'),
  line(7, today(14, 2, 10), 'lifecycle', 'wait', '401 from server, trying the refresh token'),
  line(1, today(13, 44, 53), 'lifecycle', 'neutral', '~/.xcsh/mcp.json changed on disk, reloaded'),
];

export function log() {
  const lines = [...recent()].reverse();
  for (let n = 10; n < 60; n += 1) {
    lines.push(line(n, today(14, 3, n), n % 9 === 0 ? 'stdout' : 'stderr', n % 17 === 0 ? 'bad' : 'neutral', `[${n}] GET /repos/acme/shop/issues?page=${n} 200 ${n * 3} ms`));
  }
  return { lines, dropped: 1204 };
}

export function detail(server, snapshot) {
  const base = { row: server, session: null, sent: [], defined: [], findings: [], recent: recent(), review: null, stderr_tail: [], hint: null, insight: null };
  if (server.status !== 'disconnected') {
    const timings = { resolve_ms: 3, queue_ms: null, start_ms: 12, handshake_ms: 351, list_ms: 46 };
    base.insight = { stage: null, last_line: null, timings, connects: 3, wire_log: false };
    if (server.status === 'connecting') Object.assign(base.insight, { stage: 'handshake', last_line: 'npm warn deprecated: fetching 214 packages', timings: { ...timings, handshake_ms: null, list_ms: null }, connects: 0 });
  }
  const host = snapshot.hosts.find((one) => one.id === server.host);
  const source = host.sources.find((one) => one.scope === server.scope) ?? host.sources[0];
  base.defined = [
    { id: server.id, host: host.id, host_name: host.name, mark: host.mark, scope: server.scope, path: source.path, display_path: source.display_path, line: 4, in_use: server.reason !== 'shadowed', shadowed: server.reason === 'shadowed', tag: server.reason === 'shadowed' ? 'Shadowed' : 'In use' },
  ];
  let at = 4;
  const place = () => ({ path: source.path, display_path: source.display_path, line: (at += 1), column: 7 });
  const sent = (label, group, value, origin, from) => ({ label, group, value, origin, from, place: origin === 'default' ? null : place() });
  base.sent = [sent('Transport', 'main', server.transport === 'http' ? 'Streamable HTTP' : 'stdio', 'literal', ''), sent(server.transport === 'http' ? 'URL' : 'Command', 'main', server.summary, 'literal', '')];
  if (server.status === 'connected') {
    base.session = { name: server.name, version: '1.4.0', title: null, protocol: '2025-11-25', instructions: null, connected_at: now - 18 * MINUTE, connect_ms: 412, pid: server.transport === 'stdio' ? 4711 : null };
  }
  switch (server.id) {
    case 'xcsh:user:github':
      base.session.title = 'GitHub MCP Server';
      base.sent.push(
        sent('Authorization', 'header', 'Bearer ••••••••', 'secret_store', 'keychain, expires in 42 min'),
        sent('X-Team', 'header', null, 'unset', 'from ${TEAM_ID}, unset'),
        sent('Timeout', 'main', '30 s', 'default', 'default'),
      );
      base.defined.push({ id: 'cursor:user:github', host: 'cursor', host_name: 'Cursor', mark: '▲', scope: 'user', path: absolute('~/.cursor/mcp.json'), display_path: '~/.cursor/mcp.json', line: 12, in_use: false, shadowed: true, tag: 'Shadowed, differs in url, headers, timeout' });
      base.findings = snapshot.findings.filter((one) => one.server === 'github');
      break;
    case 'cursor:project:postgres':
      base.hint = 'Set DATABASE_URL in the entry’s `env`, or in the environment Jackfield starts in.';
      base.stderr_tail = ['Traceback (most recent call last):', '  File "/home/ana/.cache/uv/postgres_mcp/server.py", line 41, in main', '    url = os.environ["DATABASE_URL"]', "KeyError: 'DATABASE_URL'"];
      base.sent.push(sent('DATABASE_URL', 'env', null, 'unset', 'from ${DATABASE_URL}, unset'), sent('PGSSLMODE', 'env', 'require', 'literal', 'in the file'));
      base.recent = [line(3, today(14, 1, 2), 'lifecycle', 'bad', 'Exited with code 1: DATABASE_URL is not set'), line(2, today(14, 1, 1), 'lifecycle', 'neutral', 'Started `uvx postgres-mcp`')];
      break;
    case 'dot-mcp:project:deploy':
      base.review = { hash: 'abc', lines: ['./tools/deploy-mcp', '--target', 'staging', '--message=with a space'], values: [{ kind: 'folder', name: '', value: './tools', runs: false }, { kind: 'env', name: 'DEPLOY_TOKEN', value: '!op read op://deploy/token', runs: true }, { kind: 'env', name: 'REGION', value: 'eu-west-1', runs: false }], changed: ['argument 3: `production` is now `staging`'], project: '~/code/shop' };
      base.recent = [];
      base.sent = [];
      break;
  }
  return base;
}
