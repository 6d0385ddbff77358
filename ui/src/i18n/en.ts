// Every string of the interface, in English. What the engine says arrives as text and is shown as it comes.
import type { ReviewKind } from '../bindings/ReviewKind';
import type { Reason } from '../bindings/Reason';
import type { RowAction } from '../bindings/RowAction';
import type { Scope } from '../bindings/Scope';
import type { LogKind } from '../bindings/LogKind';

const figures = new Intl.NumberFormat('en');
const number = (n: number): string => figures.format(n);
const plural = (n: number, one: string, many: string): string => `${number(n)} ${n === 1 ? one : many}`;

const scopes: Record<Scope, string> = {
  user: 'user',
  local: 'local',
  project: 'project',
  managed: 'managed',
  plugin: 'plugin',
};

const reasons: Record<Reason, string> = {
  failed: 'Failed',
  needs_sign_in: 'Needs sign-in',
  needs_approval: 'Needs approval',
  retrying: 'Retrying',
  idle: 'Not connected',
  disabled: 'Disabled',
  denied: 'Off in Jackfield',
  host_disabled: 'Off in its application',
  shadowed: 'Shadowed',
  invalid: 'Invalid',
  project_off: 'Project servers are off',
  filtered: 'Built into agents',
  stopped: 'Stopped',
};

const actions: Record<RowAction, string> = {
  review: 'Review',
  reconnect: 'Reconnect',
  connect: 'Connect',
  open_file: 'Open file',
  details: 'Details',
};

const kinds: Record<LogKind, string> = { lifecycle: 'Lifecycle', stderr: 'stderr', stdout: 'stdout' };

export const en = {
  number,
  brand: 'Jackfield',
  scopes,
  reasons,
  actions,
  status: { connected: 'Connected', connecting: 'Connecting' },
  source: (host: string, scope: string): string => `${host}, ${scope}`,

  toolbar: {
    label: 'Toolbar',
    search: 'Find a server or tool',
    clearSearch: 'Clear search',
    reload: 'Reload',
    reloadTitle: 'Read every file again and connect anew (F5)',
    reloaded: 'Reloaded.',
    sidebar: 'Views and sources',
    theme: 'Theme',
    themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
  },

  projects: {
    label: 'Project',
    none: 'No project',
    noneHint: 'Only servers of your own files',
    current: 'Open now',
    recent: 'Recent',
    candidates: 'Known to your tools',
    openFolder: 'Open folder…',
    path: 'Path of a folder',
    open: 'Open',
    choose: (name: string): string => `Project: ${name}`,
  },

  views: {
    label: 'Views',
    all: 'All servers',
    connected: 'Connected',
    attention: 'Needs attention',
    disabled: 'Disabled',
    shadowed: 'Shadowed',
    tools: 'Tools',
    sources: 'Sources',
    withTrouble: 'with findings',
  },

  list: {
    label: 'Servers',
    summary: (connected: number, tools: number): string =>
      `${number(connected)} connected, ${plural(tools, 'tool', 'tools')}`,
    sort: 'Sort',
    sorts: { attention: 'attention first', name: 'by name', source: 'by source' },
    files: 'Files',
    tools: (n: number): string => plural(n, 'tool', 'tools'),
    toolsCached: (n: number): string => `${plural(n, 'tool', 'tools')} from cache`,
    latency: (ms: number): string => `${number(ms)} ms`,
    connecting: (seconds: number): string => `Connecting, ${number(seconds)} s`,
    retryingIn: (seconds: number): string => `Retrying in ${number(seconds)} s`,
    retryingNow: 'Retrying now',
    shadowedBy: 'Shadowed by',
    offIn: (host: string): string => `Off in ${host}`,
    enabled: (name: string): string => `${name} enabled`,
    empty: {
      search: (words: string): string => `Nothing matches “${words}”.`,
      clear: 'Clear search',
      all: 'No servers yet.',
      allHint: 'Jackfield lists what your AI applications define. Add a server in one of them and it appears here.',
      connected: 'No server is connected.',
      connectedHint: 'Connect one with its Connect button, or press R on a row.',
      attention: 'Nothing needs attention.',
      attentionHint: 'Servers that fail, wait for approval or need a sign-in appear here.',
      disabled: 'No server is disabled.',
      disabledHint: 'Servers that are switched off appear here.',
      shadowed: 'No server is shadowed.',
      shadowedHint: 'When two files define the same name, the one not in use appears here.',
      host: (name: string): string => `${name} defines no servers.`,
      hostHint: 'Its files are listed beside.',
    },
  },

  off: {
    title: 'MCP is off',
    text: 'The setting enable_mcp is false: Jackfield reads no files and connects no servers.',
  },

  detail: {
    label: 'Details',
    back: 'Back',
    more: (name: string): string => `More for ${name}`,
    reconnect: 'Reconnect',
    stop: 'Stop',
    connect: 'Connect',
    openFile: 'Open file',
    openAt: (line: number): string => `Open at line ${line}`,
    reveal: 'Show in folder',
    copyName: 'Copy name',
    copied: (text: string): string => `Copied ${text}.`,
    notCopied: 'The clipboard is not available.',
    protocol: (version: string): string => `protocol ${version}`,
    connectedAgo: (ago: string): string => `connected ${ago}`,
    pid: (pid: number): string => `process ${pid}`,
    stateSince: (state: string, ago: string): string => `${state} since ${ago}`,
    loading: 'Loading…',
    tabs: { label: 'Details of the server', overview: 'Overview', tools: 'Tools', log: 'Log' },
    sent: 'What is sent',
    environment: 'Environment',
    headers: 'Headers',
    notSent: 'not sent',
    defined: 'Where it is defined',
    openDefinition: (path: string): string => `Open ${path}`,
    showDefinition: (path: string): string => `Show the definition in ${path}`,
    recent: 'Recent',
    noRecent: 'Nothing has happened yet.',
    instructions: 'Instructions from the server',
    stderr: 'Last lines of stderr',
    failed: 'It did not connect.',
    place: (path: string, line: number | null, column: number | null): string =>
      line === null ? path : column === null ? `${path}:${line}` : `${path}:${line}:${column}`,
    severities: { info: 'Note', warning: 'Warning', error: 'Error' },
    gone: 'This server is no longer defined.',
    goneHint: 'Its entry was removed from the file, or the project was closed.',
  },

  nothing: {
    title: 'Nothing selected',
    text: 'Select a server to see what is sent, where it is defined and what just happened.',
    findings: 'Findings',
    hints: [
      ['↑ ↓', 'Move in the list'],
      ['Space', 'Switch on or off'],
      ['Ctrl K', 'Find a server or tool'],
      ['?', 'All shortcuts'],
    ] as const,
  },

  host: {
    files: 'Files',
    findings: 'Findings',
    noFindings: 'No findings.',
    missing: 'does not exist',
    unreadable: 'cannot be read',
    servers: (n: number): string => plural(n, 'server', 'servers'),
    facts: (servers: number, files: number): string =>
      `${plural(servers, 'server', 'servers')} in ${plural(files, 'file', 'files')}`,
  },

  review: {
    title: 'Review before it runs',
    text: 'This server came with a project. Nothing of it runs, and nothing it names is read, until you approve exactly this.',
    project: 'Project',
    runs: 'Runs',
    connects: 'Connects to',
    kinds: {
      env: 'Variables',
      header: 'Headers',
      folder: 'In the folder',
      env_file: 'Variables of',
      headers_helper: 'Headers from',
    } satisfies Record<ReviewKind, string>,
    command: 'runs',
    changed: 'Changed since you approved it',
    approve: 'Approve and connect',
    approved: (name: string): string => `Approved ${name}.`,
    openFile: 'Open file',
  },

  tools: {
    search: 'Find a tool',
    list: 'Tools',
    cached: 'From cache; the server is not connected.',
    none: 'This server offers no tools.',
    notConnected: 'Its tools are known once it has connected.',
    noMatch: 'No tool matches.',
    readOnly: 'read-only',
    destructive: 'destructive',
    choose: 'Choose a tool to see and call it.',
    exposed: 'Offered as',
    schema: 'Input schema',
    outputSchema: 'Output schema',
    noDescription: 'The server gives no description.',
    args: 'Arguments (JSON)',
    badJson: (message: string): string => `Not valid JSON: ${message}`,
    notObject: 'The arguments must be a JSON object.',
    call: 'Call',
    running: (seconds: number): string => `Running, ${number(seconds)} s`,
    cancel: 'Cancel',
    result: 'Result',
    failedResult: 'The tool reports an error',
    took: (ms: string): string => `took ${ms}`,
    text: 'Text',
    raw: 'Raw',
    view: 'How to show the result',
    emptyText: 'The result has no text.',
    showAll: (characters: number): string => `Show all ${number(characters)} characters`,
    copy: 'Copy',
    allTitle: 'Tools',
    allSummary: (tools: number, servers: number): string =>
      `${plural(tools, 'tool', 'tools')} of ${plural(servers, 'server', 'servers')}`,
    allEmpty: 'No tools yet.',
    allEmptyHint: 'Tools appear here once a server has connected.',
    back: 'All tools of this server',
  },

  log: {
    label: 'Log',
    filter: 'Show',
    filters: { all: 'All', stderr: 'stderr', lifecycle: 'Lifecycle' },
    kinds,
    copy: 'Copy',
    copied: 'Copied the log.',
    dropped: (n: number): string => `${plural(n, 'older line', 'older lines')} dropped`,
    empty: 'No lines yet.',
    follow: 'Follow',
  },

  welcome: {
    title: 'Welcome to Jackfield',
    found: (servers: number, applications: number): string =>
      `Found ${plural(servers, 'server', 'servers')} in ${plural(applications, 'application', 'applications')}. Nothing has been started.`,
    later: 'What you choose is also what happens at the next start. Servers of a project wait for your approval in any case.',
    all: 'Connect all',
    choose: 'Choose…',
    notNow: 'Not now',
    connect: (n: number): string => `Connect ${plural(n, 'server', 'servers')}`,
    back: 'Back',
    noneTitle: 'No servers found',
    noneText: 'Jackfield looked in these places. Nothing has been started.',
    looked: 'Where Jackfield looked',
    emptyFile: 'no servers',
  },

  unreachable: {
    title: 'The engine does not answer',
    noAnswer: 'It may have stopped, or it is not reachable from here.',
    status: (status: number): string => `The engine answered with status ${status}.`,
    again: 'Try again',
    lost: 'The connection to the engine was lost. Trying again…',
    loading: 'Loading…',
  },

  toasts: { label: 'Messages', dismiss: 'Dismiss' },

  foot: {
    watched: (n: number): string => `${plural(n, 'file', 'files')} watched`,
    lastChange: (path: string, ago: string): string => `Last change: ${path}, ${ago}`,
    shortcuts: 'Shortcuts',
  },

  shortcuts: {
    title: 'Shortcuts',
    close: 'Close',
    rows: [
      ['Ctrl K  or  /', 'Find a server or tool'],
      ['↑  ↓', 'Move in the list'],
      ['Enter', 'Go to the details'],
      ['Space', 'Switch the server on or off'],
      ['R', 'Reconnect the selected server'],
      ['Escape', 'Clear the search, then the selection'],
      ['Ctrl 1 … 5', 'All, connected, attention, disabled, shadowed'],
      ['F5  or  Ctrl R', 'Reload all files and servers'],
      ['Ctrl Enter', 'Call the tool'],
      ['?', 'These shortcuts'],
    ] as const,
  },

  time: {
    justNow: 'just now',
    minutes: (n: number): string => `${plural(n, 'minute', 'minutes')} ago`,
    hours: (n: number): string => `${plural(n, 'hour', 'hours')} ago`,
    days: (n: number): string => `${plural(n, 'day', 'days')} ago`,
    ms: (n: number): string => `${number(n)} ms`,
    s: (n: string): string => `${n} s`,
    min: (m: number, s: number): string => `${number(m)} min ${number(s)} s`,
  },
};
