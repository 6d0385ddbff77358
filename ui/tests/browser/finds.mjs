// What the fake engine makes of a pasted text, and a registry of servers.
import { Refused } from './edits.mjs';

const plain = (text) => ({ text, keep: null });
export const form = (name, rest = {}) => ({
  name, transport: 'stdio', command: plain(''), args: [], env: [], cwd: null, url: plain(''), headers: [], timeout: '', enabled: true, ...rest,
});
const pairs = (values = {}) => Object.entries(values).map(([name, value]) => ({ name, value: plain(value) }));
const lines = (one) => (one.transport === 'stdio' ? [one.command.text, ...one.args.map((arg) => arg.text)] : [one.url.text]);

function formOf(name, entry) {
  if (entry.url !== undefined) return form(name, { transport: 'http', url: plain(entry.url), headers: pairs(entry.headers), timeout: String(entry.timeout ?? '') });
  return form(name, { command: plain(entry.command), args: (entry.args ?? []).map(plain), env: pairs(entry.env), timeout: String(entry.timeout ?? '') });
}
const found = (one, from, notes = []) => ({ form: one, from, lines: lines(one), notes });

function recognise(text) {
  if (text.startsWith('{')) {
    const { mcpServers } = JSON.parse(text);
    const count = Object.keys(mcpServers).length;
    return { what: count === 1 ? 'A server, as Cursor writes it' : `${count} servers, as Cursor writes them`, servers: Object.entries(mcpServers).map(([name, entry]) => found(formOf(name, entry), 'cursor', entry.notes)) };
  }
  const line = /^claude mcp add (\S+) -- (\S+)(.*)$/.exec(text);
  if (line !== null) {
    const args = line[3].split(' ').filter((part) => part !== '');
    return { what: 'A `claude mcp add` command', servers: [found(formOf(line[1], { command: line[2], args }), 'claude-code', ['The scope `user` is not kept: choose the file below'])] };
  }
  if (/^https?:\/\/\S+$/.test(text)) return { what: 'A url', servers: [found(formOf(new URL(text).hostname.split('.').at(-2), { url: text }), null)] };
  throw new Refused('bad_request', 'Nothing in this text is known as a server', 'Paste the whole entry, with its braces.');
}

const PAGE = 20;
const input = (id, rest = {}) => ({ id, label: id.replace(/^\w+\./, ''), description: null, required: false, secret: false, default: null, placeholder: null, choices: [], repeated: false, ...rest });
const listed = (n, rest = {}) => ({ name: `io.github.acme/server-${n}`, title: null, description: `The server number ${n} of the list`, version: '1.0.0', warning: null, website: null, ...rest });
const SERVERS = [
  listed(0, { name: 'io.github.acme/weather', title: 'Weather', description: 'Forecasts and warnings of <b>every</b> place, in the units of your choice, with radar pictures where there are some and a history that goes back for forty years and more.', version: '2.4.1', website: 'https://weather.example/mcp' }),
  listed(1, { name: 'io.github.acme/weather-old', title: 'Weather, the old one', version: '0.9.0', warning: 'Deprecated: use `io.github.acme/weather`' }),
  ...Array.from({ length: 43 }, (_, n) => listed(n + 2)),
];
const CHOICES = [
  {
    id: 'npm', label: 'npm package, run with npx', detail: 'weather-mcp@2.4.1', unsupported: null, inputs: [
      input('env.WEATHER_TOKEN', { required: true, secret: true, description: 'From your account page.' }),
      input('arg.city', { required: true, description: 'The place it speaks of.', placeholder: 'Bonn' }),
      input('arg.units', { choices: ['metric', 'imperial'], default: 'metric' }),
      input('arg.layer', { repeated: true, description: 'Layers of the radar.' }),
    ],
  },
  { id: 'remote', label: 'Remote server', detail: 'https://weather.example/mcp', unsupported: null, inputs: [] },
  { id: 'mcpb', label: 'Bundle', detail: 'weather.mcpb', unsupported: 'Bundles cannot be run yet', inputs: [] },
];
const variable = { cursor: (name) => `\${env:${name}}` };

export function finds() {
  const model = { down: false };
  const described = (name) => SERVERS.find((one) => one.name === name) ?? fail('not_found', `The registry has no server \`${name}\``);
  const fail = (...args) => { throw new Refused(...args); };

  model.answer = (command) => {
    if (model.down && command.cmd.startsWith('registry_')) fail('registry', 'The registry at `registry.example` does not answer', 'Check the connection, or `registry_url` in the settings.');
    switch (command.cmd) {
      case 'import':
        return recognise(command.text);
      case 'registry_search': {
        const all = SERVERS.filter((one) => one.name.includes(command.query));
        const from = Number(command.cursor ?? 0);
        return { registry: 'https://registry.example', servers: all.slice(from, from + PAGE), next: from + PAGE < all.length ? String(from + PAGE) : null, unreadable: [] };
      }
      case 'registry_server':
        return { row: described(command.name), choices: CHOICES };
      case 'registry_fill': {
        const { values } = command;
        const name = described(command.name).name.split('/').at(-1);
        if (command.choice === 'remote') {
          const one = form(name, { transport: 'http', url: plain('https://weather.example/mcp') });
          return { form: one, problems: [], lines: lines(one), variables: [] };
        }
        if (!values['arg.city']) return { form: form(''), problems: [{ field: 'arg.city', severity: 'error', message: '`city` is required' }], lines: [], variables: [] };
        const token = values['env.WEATHER_TOKEN'];
        const host = command.source.split(':')[0];
        const layers = (values['arg.layer'] ?? '').split('\n').filter((line) => line !== '');
        const one = form(name, {
          command: plain('npx'), args: ['-y', 'weather-mcp@2.4.1', '--city', values['arg.city'], '--units', values['arg.units'] ?? 'metric', ...layers.flatMap((layer) => ['--layer', layer])].map(plain),
          env: [{ name: 'WEATHER_TOKEN', value: plain(token || (variable[host] ?? ((of) => `\${${of}}`))('WEATHER_TOKEN')) }],
        });
        return { form: one, problems: [], lines: lines(one), variables: token ? [] : ['WEATHER_TOKEN'] };
      }
      default:
        return undefined;
    }
  };
  return model;
}
