// A stand-in for the engine's development bridge: the same protocol, the fixture's data, the built page.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { editing, Refused } from './edits.mjs';
import { finds } from './finds.mjs';
import { detail, log, tools } from './fixture.mjs';

const DIST = fileURLToPath(new URL('../../dist/', import.meta.url));
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' };
// As in the desktop's window, so that what it would refuse fails here too.
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TOKEN = 'fixture';

export async function startFake(snapshot) {
  const streams = new Set();
  const commands = [];
  const running = new Map();
  const fake = { snapshot, commands, down: false, slow: 0, log: log() };

  fake.send = (...changes) => {
    fake.snapshot.revision += 1;
    for (const stream of streams) stream.write(`data: ${JSON.stringify({ revision: fake.snapshot.revision, changes })}\n\n`);
  };
  fake.setRow = (row) => {
    fake.snapshot.servers = fake.snapshot.servers.map((one) => (one.id === row.id ? row : one));
    fake.send({ kind: 'server', row });
  };
  fake.cutEvents = () => {
    for (const stream of streams) stream.destroy();
  };

  fake.edits = editing(fake);
  fake.finds = finds();

  const find = (id) => {
    const server = fake.snapshot.servers.find((one) => one.id === id);
    if (server === undefined) throw new Refused('not_found', `No server \`${id}\``);
    return server;
  };
  const answer = async (command) => {
    switch (command.cmd) {
      case 'snapshot':
        return fake.snapshot;
      case 'server_detail':
        return detail(find(command.id), fake.snapshot);
      case 'server_usage':
        return find(command.id).transport === 'stdio' ? { processes: 3, memory_bytes: 81_900_000, cpu_percent: 1.24 } : null;
      case 'server_tools':
        return tools(find(command.id));
      case 'server_log':
        return { ...fake.log, lines: fake.log.lines.filter((line) => line.seq > (command.after ?? 0)) };
      case 'set_enabled': {
        const server = find(command.id);
        const toggle = { ...server.toggle, on: command.on };
        fake.setRow(command.on ? { ...server, toggle, status: 'connected', reason: null } : { ...server, toggle, status: 'disconnected', reason: 'denied', latency_ms: null });
        return { message: command.on ? `On in Jackfield and its gateway.` : 'Off in Jackfield and its gateway; Cursor still starts it itself', display_path: '~/.config/jackfield/settings.json', on: command.on };
      }
      case 'call_tool':
        return call(command);
      case 'cancel_call':
        running.get(command.call)?.();
        return null;
      case 'set_connect_at_start':
        fake.snapshot.overall = { ...fake.snapshot.overall, connect_at_start: command.choice };
        fake.send({ kind: 'overall', overall: fake.snapshot.overall });
        return null;
      case 'set_theme':
        fake.snapshot.overall = { ...fake.snapshot.overall, theme: command.theme };
        fake.send({ kind: 'overall', overall: fake.snapshot.overall });
        return null;
      case 'set_hosts_order': {
        const rank = (id) => (command.hosts.includes(id) ? command.hosts.indexOf(id) : command.hosts.length);
        fake.snapshot.hosts = fake.snapshot.hosts.toSorted((a, b) => rank(a.id) - rank(b.id));
        fake.send({ kind: 'hosts', hosts: fake.snapshot.hosts });
        return null;
      }
      case 'open_project': {
        if (command.path?.includes('missing')) throw new Refused('not_found', `No folder \`${command.path}\``, 'Check the path.');
        const current = command.path === null ? null : { path: command.path, display_path: command.path.replace('/home/ana', '~') };
        fake.snapshot.projects = { ...fake.snapshot.projects, current };
        return fake.snapshot.projects;
      }
      case 'pick_folder':
        throw new Refused('bad_request', 'There is no folder chooser in a browser', 'Type the path instead.');
      default:
        return fake.edits.answer(command) ?? fake.finds.answer(command) ?? null;
    }
  };
  const call = (command) => {
    const done = (text, rest = {}) => ({ is_error: false, text, result: { content: [{ type: 'text', text }], isError: false }, took_ms: 184, ...rest });
    const { state } = command.arguments;
    if (state === 'slow') {
      return new Promise((_resolve, reject) => running.set(command.call, () => reject(new Refused('cancelled', 'The call was cancelled'))));
    }
    if (state === 'error') return done('Repository not found', { is_error: true });
    if (state === 'large') return done('0123456789abcdef'.repeat(65_536));
    return done('#412 Checkout fails with an empty cart\n#409 Prices are shown without VAT\n#398 <img src=x onerror=alert(1)> in titles');
  };

  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://fake');
    if (url.pathname === '/events' || url.pathname === '/rpc') {
      const token = url.searchParams.get('token') ?? request.headers.authorization?.replace('Bearer ', '');
      if (fake.down) return response.writeHead(503).end();
      if (token !== TOKEN) return response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify({ code: 'bad_request', message: 'No token, or not the right one', hint: null }));
    }
    if (url.pathname === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(':\n\n');
      streams.add(response);
      response.on('close', () => streams.delete(response));
      return;
    }
    if (url.pathname === '/rpc') {
      let body = '';
      for await (const part of request) body += part;
      const command = JSON.parse(body);
      commands.push(command);
      try {
        const value = await answer(command);
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      } catch (thrown) {
        response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify(thrown.body ?? { code: 'internal', message: String(thrown), hint: null }));
      }
      return;
    }
    const path = normalize(url.pathname === '/' ? '/index.html' : url.pathname);
    try {
      const file = await readFile(join(DIST, path));
      response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream', 'content-security-policy': POLICY }).end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  fake.url = `http://127.0.0.1:${server.address().port}/?token=${TOKEN}`;
  fake.stop = () => {
    fake.cutEvents();
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return fake;
}
