// A small model of editing for the fake engine: files as text, forms, previews, conflicts, history.
export class Refused extends Error {
  constructor(code, message, hint = null, rest = {}) {
    super(message);
    this.body = { code, message, hint, problems: [], conflict: null, ...rest };
  }
}

const SECRET = /ghp_\w+/g;
const MASK = '••••••••';
const mask = (text) => text.replace(SECRET, MASK);
const hash = (text) => `h${[...text].reduce((sum, one) => (sum * 31 + one.codePointAt(0)) >>> 0, 7)}`;

function entryOf(row) {
  if (row.transport === 'http') {
    const entry = { type: 'http', url: row.summary };
    if (row.id === 'xcsh:user:github') {
      Object.assign(entry, { headers: { Authorization: 'Bearer ghp_4f9aKq27Lm', 'X-Team': '${TEAM_ID}' }, timeout: 30000, icon: 'mark-github' });
    }
    return entry;
  }
  const [command, ...args] = row.summary.split(' ').filter((part) => part !== '');
  return { command: command ?? '', args };
}

/** As its owner wrote it: with a comment that every edit must leave in place. */
function render(source, servers) {
  if (source.language === 'toml') {
    return Object.entries(servers).map(([name, one]) => `[mcp_servers.${name}]\ncommand = "${one.command}"\nargs = ${JSON.stringify(one.args)}\n`).join('\n');
  }
  const lines = JSON.stringify({ mcpServers: servers }, null, 2).split('\n');
  return `${lines.flatMap((line) => (/"headers": \{/.test(line) ? ['      // shared by the whole team', line] : [line])).join('\n')}\n`;
}
function parse(source, text) {
  if (source.language === 'toml') return source.servers;
  return JSON.parse(text.replace(/^\s*\/\/.*$/gm, '')).mcpServers ?? {};
}

/** The longest common lines, with three of them around each change. */
export function diff(before, after) {
  const [a, b] = [before, after].map((text) => text.replace(/\n$/, '').split('\n'));
  const size = Array.from({ length: a.length + 1 }, () => new Array(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) for (let j = b.length - 1; j >= 0; j -= 1) size[i][j] = a[i] === b[j] ? size[i + 1][j + 1] + 1 : Math.max(size[i + 1][j], size[i][j + 1]);
  const all = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) all.push({ kind: 'same', text: mask(a[i]), old: (i += 1), new: (j += 1) });
    else if (i < a.length && (j >= b.length || size[i + 1][j] >= size[i][j + 1])) all.push({ kind: 'removed', text: mask(a[i]), old: (i += 1), new: null });
    else all.push({ kind: 'added', text: mask(b[j]), old: null, new: (j += 1) });
  }
  const near = all.map((_, at) => all.slice(Math.max(0, at - 2), at + 3).some((line) => line.kind !== 'same'));
  const lines = [];
  for (const [at, line] of all.entries()) {
    if (near[at]) lines.push(line);
    else if (lines.length > 0 && lines.at(-1).kind !== 'gap' && near.slice(at).includes(true)) lines.push({ kind: 'gap', text: '', old: null, new: null });
  }
  return lines;
}

const plain = (text) => ({ text, keep: null });
const textOf = (name, text) => (text !== mask(text) ? { text: mask(text), keep: name } : plain(text));

export function editing(fake) {
  const sources = new Map();
  for (const host of fake.snapshot.hosts) {
    for (const one of host.sources) {
      const id = `${host.id}:${one.scope}`;
      const rows = fake.snapshot.servers.filter((row) => row.host === host.id && row.scope === one.scope).sort((x, y) => x.rank - y.rank);
      const source = { id, host, path: one.path, display_path: one.display_path, scope: one.scope, language: one.path.endsWith('.toml') ? 'toml' : 'json', locked: one.scope === 'managed' ? 'Set by an administrator.' : null, exists: one.exists };
      source.servers = Object.fromEntries(rows.slice(0, 60).map((row) => [row.name, entryOf(row)]));
      source.text = one.exists ? render(source, source.servers) : '';
      sources.set(id, source);
    }
  }
  const history = [];
  const model = { sources, history };
  /** What a test says the fixes of a finding do, by the finding's id. */
  model.cures = new Map();
  /** What files said before they lost their servers, by path. */
  model.lost = new Map();

  const sourceOf = (id) => sources.get(id) ?? refuse('not_found', `No file \`${id}\``);
  const refuse = (...args) => { throw new Refused(...args); };
  const split = (id) => {
    const at = id.indexOf(':', id.indexOf(':') + 1);
    const source = sourceOf(id.slice(0, at));
    const name = id.slice(at + 1);
    return { source, name, entry: parse(source, source.text)[name] ?? refuse('not_found', `Server \`${name}\` not found in \`${source.display_path}\``) };
  };
  const target = (source) => ({
    id: source.id, host: source.host.id, host_name: source.host.name, mark: source.host.mark, scope: source.scope, path: source.path, display_path: source.display_path,
    exists: source.exists, locked: source.locked, note: null, default: source.scope === 'user', language: source.language,
    abilities: { transports: ['stdio', 'http', 'sse'], env: true, cwd: source.host.id === 'xcsh', headers: true, timeout: source.host.id === 'cursor' ? null : source.host.id === 'codex' ? 'seconds' : 'milliseconds', switch: source.host.id === 'xcsh', variables: ['${NAME}', '${NAME:-default}'] },
  });
  const formOf = (name, entry) => ({
    name, transport: entry.url === undefined ? 'stdio' : (entry.type ?? 'http'), command: textOf('command', entry.command ?? ''),
    args: (entry.args ?? []).map((arg, at) => textOf(`args.${at}`, arg)),
    env: Object.entries(entry.env ?? {}).map(([key, value]) => ({ name: key, value: textOf(`env.${key}`, value) })), cwd: entry.cwd ?? null, url: textOf('url', entry.url ?? ''),
    headers: Object.entries(entry.headers ?? {}).map(([key, value]) => ({ name: key, value: textOf(`headers.${key}`, value) })),
    timeout: entry.timeout === undefined ? '' : String(entry.timeout), enabled: entry.enabled !== false,
  });
  const KNOWN = ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'timeout', 'enabled'];
  const raw = (old, text) => {
    if (text.keep === null) return text.text;
    return text.keep.split(/\.(.*)/).slice(0, 2).reduce((value, key) => value?.[key], old);
  };
  const entryFrom = (old, form) => {
    const rest = Object.fromEntries(Object.entries(old).filter(([key]) => !KNOWN.includes(key)));
    const pairs = (list) => Object.fromEntries(list.map((pair) => [pair.name, raw(old, pair.value)]));
    const entry = form.transport === 'stdio' ? { command: raw(old, form.command), args: form.args.map((arg) => raw(old, arg)) } : { type: form.transport, url: raw(old, form.url) };
    if (form.transport === 'stdio' && form.env.length > 0) entry.env = pairs(form.env);
    if (form.transport === 'stdio' && form.cwd !== null) entry.cwd = form.cwd;
    if (form.transport !== 'stdio' && form.headers.length > 0) entry.headers = pairs(form.headers);
    if (/^\d+$/.test(form.timeout)) entry.timeout = Number(form.timeout);
    else if (form.timeout !== '' && old.timeout !== undefined) entry.timeout = old.timeout;
    if (!form.enabled) entry.enabled = false;
    return { ...entry, ...rest };
  };
  const problemsOf = (form) => {
    const problems = [];
    const bad = (field, message) => problems.push({ field, severity: 'error', message });
    if (form.name.trim() === '') bad('name', 'A server needs a name.');
    if (form.transport === 'stdio' && form.command.text === '') bad('command', 'The program to start, such as `npx`.');
    if (form.transport !== 'stdio' && !/^https?:/.test(form.url.text)) bad('url', 'A url begins with `https://` or `http://`.');
    if (form.timeout !== '' && !/^[1-9]\d*$/.test(form.timeout)) bad('timeout', `Milliseconds, a whole number from 1.${/^\d+ ?s/.test(form.timeout) ? ` For ${Number.parseInt(form.timeout, 10)} seconds write ${Number.parseInt(form.timeout, 10) * 1000}` : ''}`);
    return problems;
  };
  const valuesOf = (form) => {
    const texts = [['url', form.url], ...form.args.map((arg, at) => [`args.${at}`, arg]), ...form.env.map((pair) => [`env.${pair.name}`, pair.value]), ...form.headers.map((pair) => [`headers.${pair.name}`, pair.value])];
    return texts.flatMap(([field, { text }]) => {
      const [, name, fallback] = /\$\{(\w+)(?::-(.*?))?\}/.exec(text) ?? [];
      if (name === undefined) return [];
      if (fallback !== undefined) return [{ field, value: text.replace(/\$\{.*?\}/, fallback), origin: 'default', from: `\`${name}\` is not set, the default is used` }];
      return [{ field, value: null, origin: 'unset', from: `\`${name}\` is not set` }];
    });
  };
  const fieldsOf = (form) => new Map([
    ['type', form.transport], ['command', form.command.text], ['args', form.args.map((arg) => arg.text).join(' ')], ['url', form.url.text], ['timeout', form.timeout], ['cwd', form.cwd],
    ...form.env.map((pair) => [`env.${pair.name}`, pair.value.text]), ...form.headers.map((pair) => [`headers.${pair.name}`, pair.value.text]),
  ]);
  const named = (source, name, old) => {
    if (name.trim() === '') return [{ field: 'name', severity: 'error', message: 'A server needs a name.' }];
    if (name !== old && Object.hasOwn(source.servers, name)) return [{ field: 'name', severity: 'error', message: `Server "${name}" already exists in \`${source.display_path}\`` }];
    return [];
  };

  const rowOf = (id) => fake.snapshot.servers.find((row) => row.id === id);
  /** Whose definition of the same name is in use once this one is gone. */
  const heirOf = (id) => {
    const row = rowOf(id);
    if (row === undefined || row.reason === 'shadowed') return undefined;
    return fake.snapshot.servers.filter((one) => one.name === row.name && one.reason === 'shadowed').sort((x, y) => x.rank - y.rank)[0];
  };
  /** The rows of a file that was written: as the engine reads it again. */
  function reread(source, before) {
    const put = (row) => {
      fake.snapshot.servers = [...fake.snapshot.servers.filter((one) => one.id !== row.id), row];
      fake.send({ kind: 'server', row });
    };
    for (const name of Object.keys(before).filter((one) => !Object.hasOwn(source.servers, one))) {
      const id = `${source.id}:${name}`;
      const heir = heirOf(id);
      fake.snapshot.servers = fake.snapshot.servers.filter((one) => one.id !== id);
      fake.send({ kind: 'server_gone', id });
      if (heir !== undefined) put({ ...heir, reason: 'idle', shadowed_by: null, differs: [], toggle: { on: true, available: true, note: null } });
    }
    for (const [name, entry] of Object.entries(source.servers).filter(([one]) => !Object.hasOwn(before, one))) {
      const winner = fake.snapshot.servers.find((one) => one.name === name && one.reason !== 'shadowed');
      const pattern = fake.snapshot.servers[0] ?? {};
      put({
        ...pattern, id: `${source.id}:${name}`, name, host: source.host.id, scope: source.scope, rank: 1000 + fake.snapshot.servers.length,
        transport: entry.url === undefined ? 'stdio' : 'http', summary: entry.url ?? [entry.command, ...(entry.args ?? [])].join(' '),
        status: 'disconnected', reason: winner === undefined ? 'idle' : 'shadowed', message: null, action: null, retry_at: null, tools: null, tools_cached: false, latency_ms: null,
        toggle: { on: winner === undefined, available: winner === undefined, note: null }, shadowed_by: winner === undefined ? null : `${winner.host}, ${winner.scope}`, errors: 0, warnings: 0,
      });
    }
  }

  /** What an edit makes of the files: `texts` by source, and what a person is told. */
  function plan(edit) {
    const done = (source, servers, rest) => ({ problems: [], values: [], notes: [], ...rest, texts: new Map([[source, render(source, servers)]]) });
    switch (edit.op) {
      case 'add': {
        const source = sourceOf(edit.source);
        return done(source, { ...source.servers, [edit.form.name]: entryFrom({}, edit.form) }, { problems: [...problemsOf(edit.form), ...named(source, edit.form.name)], values: valuesOf(edit.form), title: `Added \`${edit.form.name}\``, notice: `Adds it to ${source.display_path}`, id: `${source.id}:${edit.form.name}` });
      }
      case 'add_several': {
        const source = sourceOf(edit.source);
        const problems = edit.servers.flatMap(({ form }, at) => [
          ...problemsOf(form), ...named(source, form.name), ...(edit.servers.findIndex((one) => one.form.name === form.name) < at ? [{ field: 'name', severity: 'error', message: `Server "${form.name}" is there twice` }] : []),
        ]);
        const fresh = Object.fromEntries(edit.servers.map(({ form }) => [form.name, entryFrom({}, form)]));
        const names = edit.servers.map(({ form }) => form.name);
        return done(source, { ...source.servers, ...fresh }, { problems, title: `Added ${names.map((name) => `\`${name}\``).join(', ')}`, notice: `Adds them to ${source.display_path}`, id: `${source.id}:${names[0]}` });
      }
      case 'edit': {
        const { source, name, entry } = split(edit.id);
        const now = fieldsOf(formOf(name, entry));
        const [base, ours] = [fieldsOf(edit.base), fieldsOf(edit.form)];
        const fields = [...new Set([...base.keys(), ...ours.keys()])]
          .filter((field) => base.get(field) !== ours.get(field) && base.get(field) !== now.get(field) && ours.get(field) !== now.get(field))
          .map((field) => ({ field, base: base.get(field) ?? null, ours: ours.get(field) ?? null, theirs: now.get(field) ?? null }));
        return done(source, { ...source.servers, [name]: entryFrom(entry, edit.form) }, { problems: problemsOf(edit.form), values: valuesOf(edit.form), title: `Edited \`${name}\``, notice: `Saving reconnects ${name} only`, id: edit.id, conflict: fields.length > 0 && { fields, lines: [], source } });
      }
      case 'rename': {
        const { source, name } = split(edit.id);
        const servers = Object.fromEntries(Object.entries(source.servers).map(([key, one]) => [key === name ? edit.name : key, one]));
        return done(source, servers, { problems: named(source, edit.name, name), title: `Renamed \`${name}\` to \`${edit.name}\``, notice: `Changes ${source.display_path}`, id: `${source.id}:${edit.name}` });
      }
      case 'duplicate': {
        const { source, entry } = split(edit.id);
        return done(source, { ...source.servers, [edit.name]: entry }, { problems: named(source, edit.name), title: `Added \`${edit.name}\``, notice: `Changes ${source.display_path}`, id: `${source.id}:${edit.name}` });
      }
      case 'remove': {
        const { source, name } = split(edit.id);
        const heir = heirOf(edit.id);
        const notes = heir === undefined ? [] : [`\`${name}\` of ${sourceOf(`${heir.host}:${heir.scope}`).host.name}, ${heir.scope} is in use from then on`];
        return done(source, Object.fromEntries(Object.entries(source.servers).filter(([key]) => key !== name)), { notes, title: `Removed \`${name}\``, notice: `Changes ${source.display_path}`, id: null });
      }
      case 'copy': {
        const { source, name, entry } = split(edit.id);
        const to = sourceOf(edit.source);
        const as = edit.name ?? name;
        const { timeout, ...short } = entry;
        const less = to.host.id === 'cursor' && timeout !== undefined;
        const plan = done(to, { ...to.servers, [as]: less ? short : entry }, { problems: named(to, as), notes: less ? ['Cursor has no timeout: it is left out'] : [], title: `${edit.keep ? 'Copied' : 'Moved'} \`${as}\``, notice: `Changes ${to.display_path}`, id: `${to.id}:${as}` });
        if (!edit.keep) plan.texts.set(source, render(source, Object.fromEntries(Object.entries(source.servers).filter(([key]) => key !== name))));
        return plan;
      }
      case 'text': {
        const source = sourceOf(edit.source);
        const problems = findings(source, edit.text).filter((one) => one.severity === 'error').map((one) => ({ field: '', severity: 'error', message: `${one.title} at line ${one.line}` }));
        return { problems, values: [], notes: [], texts: new Map([[source, edit.text]]), title: `Edited \`${source.display_path}\``, notice: `Saving reads ${source.display_path} again`, id: null, conflict: edit.base !== hash(source.text) && { fields: [], lines: diff(source.text, edit.text), source } };
      }
      case 'undo': {
        const entry = history.find((one) => one.id === edit.entry) ?? refuse('not_found', 'No such entry in the history');
        const why = locked(entry);
        if (why !== null) refuse('edit', `“${entry.title}” cannot be undone`, why);
        return { problems: [], values: [], notes: [], texts: new Map([...entry.before]), title: entry.undid === undefined ? `Undid: ${entry.title}` : entry.undid.title, notice: `Changes ${entry.files.join(', ')}`, id: null, undoes: entry };
      }
      case 'fix': {
        const cure = model.cures.get(edit.finding)?.[edit.fix] ?? refuse('not_found', 'No such finding any more');
        const source = sourceOf(cure.source);
        return { problems: [], values: [], notes: cure.notes ?? [], private: cure.private === true, texts: new Map([[source, cure.change(source.text)]]), title: cure.title, notice: `Changes ${source.display_path}`, id: null };
      }
      case 'restore': {
        const source = [...sources.values()].find((one) => one.path === edit.path) ?? refuse('not_found', `No file \`${edit.path}\``);
        const before = model.lost.get(edit.path) ?? refuse('edit', 'What it said before is not kept');
        return { problems: [], values: [], notes: [], texts: new Map([[source, before]]), title: `Restored \`${source.display_path}\``, notice: `Changes ${source.display_path}`, id: null };
      }
      default:
        return refuse('bad_request', `The fake does not know \`${edit.op}\``);
    }
  }
  const locked = (entry) => {
    if (entry.undone) return 'It was undone.';
    const changed = [...entry.after].find(([source, text]) => source.text !== text);
    return changed === undefined ? null : `\`${changed[0].display_path}\` has changed since.`;
  };
  const preview = (before, source, text) => {
    const lines = before === text ? [] : diff(before, text);
    const count = (kind) => lines.filter((line) => line.kind === kind).length;
    return { path: source.path, display_path: source.display_path, creates: before === '', added: count('added'), removed: count('removed'), lines };
  };

  function findings(source, text) {
    const one = (severity, title, detail, line, column) => ({ id: `${source.id}:${title}`, code: 'syntax', severity, title, detail, path: source.path, display_path: source.display_path, line, column, server: null, fixes: [] });
    const at = (index) => [text.slice(0, index).split('\n').length, index - text.lastIndexOf('\n', index - 1)];
    if (source.language === 'json') {
      try {
        parse(source, text);
      } catch (error) {
        const [line, column] = /line (\d+) column (\d+)/.exec(error.message)?.slice(1).map(Number) ?? at(Number(/position (\d+)/.exec(error.message)?.[1] ?? text.length));
        return [one('error', 'The file does not parse', 'Expected `,` or `}`.', line, column)];
      }
    }
    const unset = text.indexOf('${TEAM_ID}');
    return unset < 0 ? [] : [one('warning', 'Header `X-Team` is left out', 'The variable `TEAM_ID` is not set.', ...at(unset))];
  }
  const view = (source, text) => ({
    source: source.id, path: source.path, display_path: source.display_path, exists: source.exists, text, hash: hash(source.text), language: source.language, schema: source.language === 'json' ? SCHEMA : null,
    secrets: [...text.matchAll(/ghp_\w+/g)].map((found) => [found.index, found.index + found[0].length]), findings: findings(source, text),
    servers: text.split('\n').flatMap((line, at) => {
      const name = /^ {4}"(.+?)": \{|^\[mcp_servers\.(.+)\]/.exec(line);
      return name === null ? [] : [{ name: name[1] ?? name[2], line: at + 1 }];
    }),
    locked: source.locked,
  });

  /** As another program would change a file. Not `told`: the window has not heard of it yet. */
  model.touch = (id, change, told = true) => {
    const source = sourceOf(id);
    source.servers = change(structuredClone(source.servers));
    source.text = render(source, source.servers);
    if (!told) return;
    fake.snapshot.overall = { ...fake.snapshot.overall, last_change: { display_path: source.display_path, at: Date.now() } };
    fake.send({ kind: 'overall', overall: fake.snapshot.overall });
  };

  model.answer = (command) => {
    switch (command.cmd) {
      case 'targets':
        return [...sources.values()].map(target);
      case 'server_form': {
        const { source, name, entry } = split(command.id);
        return { id: command.id, target: target(source), form: formOf(name, entry), other_keys: Object.keys(entry).filter((key) => !KNOWN.includes(key)) };
      }
      case 'preview_edit': {
        const { problems, values, notes, notice, texts, private: modes } = plan(command.edit);
        // Under a name that is taken there is nothing to be shown.
        const taken = problems.some((one) => one.field === 'name');
        const files = [...texts].filter(([source, text]) => !taken && (modes || source.text !== text)).map(([source, text]) => preview(source.text, source, text));
        return { problems, values, notes, files, notice, can_save: files.length > 0 && problems.every((one) => one.severity !== 'error') };
      }
      case 'apply_edit': {
        const made = plan(command.edit);
        if (made.conflict) {
          const { source, fields, lines } = made.conflict;
          refuse('conflict', `\`${source.display_path}\` has changed meanwhile`, null, { conflict: { path: source.path, display_path: source.display_path, fields, lines, now: hash(source.text) } });
        }
        if (made.problems.some((one) => one.severity === 'error')) refuse('invalid', 'It cannot be saved like this', null, { problems: made.problems });
        const entry = { id: history.length + 1, at: Date.now(), title: made.title, by: 'window', files: [...made.texts.keys()].map((source) => source.display_path), undoes: made.undoes !== undefined, before: new Map(), after: made.texts };
        for (const [source, text] of made.texts) {
          entry.before.set(source, source.text);
          source.text = text;
          source.exists = true;
          const before = source.servers;
          source.servers = parse(source, text);
          reread(source, before);
        }
        if (made.undoes !== undefined) {
          made.undoes.undone = true;
          if (made.undoes.undid !== undefined) made.undoes.undid.undone = false;
          entry.undid = made.undoes;
        }
        history.unshift(entry);
        // A file that has its servers again is announced no more.
        const alerts = fake.snapshot.overall.alerts.filter((one) => ![...made.texts.keys()].some((source) => source.path === one.path && Object.keys(source.servers).length > 0));
        fake.snapshot.overall = { ...fake.snapshot.overall, alerts, last_change: { display_path: entry.files[0], at: Date.now() } };
        fake.send({ kind: 'overall', overall: fake.snapshot.overall });
        return { message: `${made.title} in ${entry.files.join(', ')}.`, notes: made.notes, id: made.id, entry: entry.id };
      }
      case 'history':
        return history.slice(0, command.limit ?? 100).map((entry) => ({ id: entry.id, at: entry.at, title: entry.title, by: entry.by, files: entry.files, locked: locked(entry), undoes: entry.undoes }));
      case 'history_diff': {
        const entry = history.find((one) => one.id === command.entry) ?? refuse('not_found', 'No such entry in the history');
        return [...entry.after].map(([source, text]) => preview(entry.before.get(source), source, text));
      }
      case 'dismiss_alert':
        fake.snapshot.overall = { ...fake.snapshot.overall, alerts: fake.snapshot.overall.alerts.map((one) => (one.path === command.path ? { ...one, answered: true } : one)) };
        fake.send({ kind: 'overall', overall: fake.snapshot.overall });
        return null;
      case 'file_text':
        return view(sourceOf(command.source), sourceOf(command.source).text);
      case 'check_text':
        return view(sourceOf(command.source), command.text);
      default:
        return undefined;
    }
  };
  return model;
}

const text = (description) => ({ type: 'string', description });
const SCHEMA = {
  type: 'object',
  properties: { mcpServers: { type: 'object', description: 'Servers by name', additionalProperties: { $ref: '#/$defs/server' } } },
  $defs: {
    server: {
      type: 'object',
      properties: {
        type: { enum: ['stdio', 'http', 'sse'], description: 'How to reach the server' }, command: text('The program to start'), args: { type: 'array', items: { type: 'string' }, description: 'Its arguments' },
        env: { type: 'object', description: 'Variables of its process' }, cwd: text('The folder it starts in'), url: text('Where it listens'), headers: { type: 'object', description: 'Sent with each request' },
        timeout: { type: 'integer', description: 'Milliseconds to wait for an answer' }, enabled: { type: 'boolean', description: 'Off: it is not started' },
      },
    },
  },
};
