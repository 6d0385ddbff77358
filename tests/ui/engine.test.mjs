// The built interface in Chromium over the real engine, through the development bridge: what a person does, and that
// the files and the processes agree. Axe looks at every state on the way.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { closeBrowser, inspect, openBrowser, openTab } from '../../ui/tests/browser/page.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const target = process.env.CARGO_TARGET_DIR ?? path.join(root, 'target');
const example = (name) => path.join(target, 'debug/examples', name);
const fake = example('fake-mcp');

/** A HOME of its own and a bridge over it. */
class Session {
  constructor() {
    this.folder = mkdtempSync(path.join(tmpdir(), 'jackfield-ui-'));
    this.home = path.join(this.folder, 'home');
    mkdirSync(this.home);
    this.said = '';
  }

  path(below) {
    return path.join(this.home, below);
  }

  write(below, text) {
    mkdirSync(path.dirname(this.path(below)), { recursive: true });
    writeFileSync(this.path(below), typeof text === 'string' ? text : JSON.stringify(text, null, 2));
  }

  read(below) {
    return existsSync(this.path(below)) ? readFileSync(this.path(below), 'utf8') : '';
  }

  /** As editors save: a new file beside it, then the rename. */
  replace(below, change) {
    writeFileSync(this.path(`${below}.new`), change(this.read(below)));
    renameSync(this.path(`${below}.new`), this.path(below));
  }

  async start() {
    this.bridge = spawn(example('dev-bridge'), ['--dist', path.join(root, 'ui/dist')], {
      env: { PATH: process.env.PATH, HOME: this.home, SHLVL: '1', JACKFIELD_SYSTEM_ROOT: this.path('root') },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.ended = new Promise((resolve) => this.bridge.once('exit', resolve));
    return new Promise((resolve, reject) => {
      this.bridge.once('exit', (code) => reject(new Error(`the bridge ended with ${code}`)));
      this.bridge.stdout.on('data', (chunk) => {
        this.said += chunk;
        const url = /^http:\S+/m.exec(this.said);
        if (url) resolve(url[0]);
      });
    });
  }

  /** Waits until the bridge has said `word`. */
  async hears(word) {
    const limit = AbortSignal.timeout(20_000);
    while (!this.said.includes(word)) await once(this.bridge.stdout, 'data', { signal: limit });
  }

  async close() {
    this.bridge?.stdin.end();
    await this.ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Opens the page over a prepared home and cleans up whatever happens. */
async function onEngine(prepare, use) {
  const session = new Session();
  prepare(session);
  try {
    const page = await openTab(await session.start());
    await use(page, session);
    await page.context().close();
  } catch (error) {
    throw new Error(`${error.message}\nThe bridge said: ${session.said}`, { cause: error });
  } finally {
    await session.close();
  }
}

const connectAtOnce = (session) => session.write('.config/jackfield/settings.json', { connect_at_start: 'all' });
const row = (page, name) => page.locator('.row', { has: page.getByText(name, { exact: true }) });
const lamp = (page, name, shape) => row(page, name).locator(`[data-lamp=${shape}]`).waitFor();

describe('the interface over the real engine', { timeout: 240_000 }, () => {
  before(() => {
    for (const built of [fake, example('dev-bridge')]) {
      assert.ok(existsSync(built), `${built} is not built: cargo build -p jackfield-cli --examples`);
    }
    return openBrowser();
  });
  after(closeBrowser);

  test('a first start connects what is chosen, and remembers it', () =>
    onEngine(
      (session) => {
        session.write('.cursor/mcp.json', { mcpServers: { one: { command: fake }, two: { command: fake } } });
      },
      async (page, session) => {
        await page.getByText('Nothing has been started').waitFor();
        await inspect(page);
        await page.getByRole('button', { name: 'Choose…' }).click();
        await page.getByRole('checkbox', { name: 'two' }).uncheck();
        await page.getByRole('button', { name: 'Connect 1 server' }).click();
        await lamp(page, 'one', 'disc');
        await lamp(page, 'two', 'ring');
        const settings = JSON.parse(session.read('.config/jackfield/settings.json'));
        assert.deepEqual([settings.connect_at_start, settings.chosen], ['chosen', ['one']]);
      },
    ));

  test('tools are listed, called, cancelled and change under an open list', () =>
    onEngine(
      (session) => {
        connectAtOnce(session);
        session.write('.xcsh/mcp.json', { mcpServers: { everything: { command: fake, args: ['--list-changed'] } } });
      },
      async (page) => {
        await lamp(page, 'everything', 'disc');
        await row(page, 'everything').locator('[data-row-main]').click();
        await page.getByRole('tab', { name: /Tools/ }).click();
        await page.locator('[data-key="echo"]').click();
        await page.getByLabel('Arguments (JSON)').fill('{"message": "<b>hi</b>"}');
        await page.getByRole('button', { name: 'Call', exact: true }).click();
        await page.getByText('<b>hi</b>').last().waitFor();
        await inspect(page);

        await page.locator('[data-key="slow"]').click();
        await page.getByLabel('Arguments (JSON)').fill('{"ms": 60000}');
        await page.getByRole('button', { name: 'Call', exact: true }).click();
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByText(/cancelled/i).first().waitFor();

        const before = await page.locator('[data-key]').count();
        await page.locator('[data-key="grow"]').click();
        await page.getByRole('button', { name: 'Call', exact: true }).click();
        await page.waitForFunction((count) => document.querySelectorAll('[data-key]').length > count, before);
      },
    ));

  test('an edit from outside, a broken file and its repair are followed', () =>
    onEngine(
      (session) => {
        connectAtOnce(session);
        session.write('.cursor/mcp.json', { mcpServers: { steady: { command: fake }, old: { command: fake, args: ['--name', 'Other'] } } });
      },
      async (page, session) => {
        await lamp(page, 'steady', 'disc');
        await lamp(page, 'old', 'disc');
        session.replace('.cursor/mcp.json', (text) => text.replace('"old"', '"new"'));
        await lamp(page, 'new', 'disc');
        await row(page, 'old').waitFor({ state: 'detached' });

        const good = session.read('.cursor/mcp.json');
        session.replace('.cursor/mcp.json', (text) => text.slice(0, -3));
        await page.getByRole('navigation').getByRole('button', { name: /^Cursor/ }).locator('[data-icon=warning], svg').first().waitFor();
        await page.getByRole('navigation').getByRole('button', { name: /^Cursor/ }).click();
        await page.getByRole('heading', { name: 'Findings' }).waitFor();
        await inspect(page);
        await lamp(page, 'steady', 'disc');
        session.replace('.cursor/mcp.json', () => good);
        await page.getByRole('heading', { name: 'Findings' }).waitFor({ state: 'detached' });
      },
    ));

  test('a server in trouble says why, and its file opens at the line', () =>
    onEngine(
      (session) => {
        connectAtOnce(session);
        session.write('.cursor/mcp.json', {
          mcpServers: {
            absent: { command: 'no-such-program' },
            crashes: { command: fake, args: ['--crash-at-start', '3'], env: { API_TOKEN: 'planted-secret-value-1' } },
          },
        });
      },
      async (page, session) => {
        await lamp(page, 'absent', 'triangle');
        await lamp(page, 'crashes', 'triangle');
        await row(page, 'crashes').locator('[data-row-main]').click();
        await page.getByText('Last lines of stderr').waitFor();
        await inspect(page);
        await page.getByRole('tab', { name: 'Log' }).click();
        await page.getByText(/code 3/).first().waitFor();
        assert.ok(!(await page.content()).includes('planted-secret-value-1'), 'a secret is in the page');
        await page.getByRole('button', { name: 'Open file: absent' }).click();
        await session.hears('open ');
        assert.match(session.said, /open .*\.cursor\/mcp\.json:3/);
      },
    ));

  test('a project is opened by its path, its server is reviewed, then runs', () =>
    onEngine(
      (session) => {
        connectAtOnce(session);
        session.write('shop/.mcp.json', { mcpServers: { deploy: { command: fake, args: ['--name', 'Deploy 2'] } } });
      },
      async (page, session) => {
        await page.getByRole('button', { name: /No project/ }).click();
        await page.getByPlaceholder(/path/i).fill(session.path('shop'));
        await page.keyboard.press('Enter');
        await lamp(page, 'deploy', 'shield');
        await page.getByRole('button', { name: 'Review: deploy' }).click();
        await page.getByText('--name', { exact: true }).waitFor();
        await inspect(page);
        await page.getByRole('button', { name: 'Approve and connect' }).click();
        await lamp(page, 'deploy', 'disc');
      },
    ));

  test('everything by keyboard: find, switch off, reconnect', () =>
    onEngine(
      (session) => {
        connectAtOnce(session);
        session.write('.codex/config.toml', `[mcp_servers.alpha]\ncommand = "${fake}"\n\n[mcp_servers.beta]\ncommand = "${fake}"\n`);
      },
      async (page, session) => {
        await lamp(page, 'beta', 'disc');
        await page.keyboard.press('Control+k');
        await page.keyboard.type('beta');
        await row(page, 'alpha').waitFor({ state: 'detached' });
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('Space');
        await lamp(page, 'beta', 'dash');
        assert.match(session.read('.codex/config.toml'), /\[mcp_servers\.beta\]\nenabled = false\n/);
        await page.keyboard.press('Space');
        await lamp(page, 'beta', 'disc');
        assert.doesNotMatch(session.read('.codex/config.toml'), /enabled/);
      },
    ));
});

describe('files are edited in the window', () => {
  before(openBrowser);
  after(closeBrowser);
  const dialog = (page) => page.getByRole('dialog');
  const apply = async (page, name) => {
    const button = dialog(page).getByRole('button', { name, exact: true });
    await page.waitForFunction((element) => element.getAttribute('aria-disabled') !== 'true', await button.elementHandle());
    await button.click();
    await dialog(page).waitFor({ state: 'detached' });
  };
  /** Until a file says so; the page's own frames are the clock. */
  const until = async (page, holds) => {
    const limit = AbortSignal.timeout(15_000);
    while (!holds()) {
      limit.throwIfAborted();
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
  };
  const gone = (page, name) => row(page, name).waitFor({ state: 'detached' });

  test('a pasted command is added, edited, copied to a second tool by the matrix, removed and brought back', () =>
    onEngine(
      (session) => {
        connectAtOnce(session);
        session.write('.xcsh/mcp.json', '{\n  // mine\n  "mcpServers": {\n    "old": { "command": "true", "enabled": false }\n  }\n}\n');
        session.write('.cursor/mcp.json', { mcpServers: {} });
      },
      async (page, session) => {
        await page.getByRole('button', { name: 'Add server' }).click();
        await inspect(page, 'engine-add-empty');
        await dialog(page).getByRole('textbox').first().fill(`claude mcp add weather -e CITY=Bonn -- ${fake} --tools 2`);
        await dialog(page).getByText('A `claude` command'.replaceAll('`', '')).or(dialog(page).locator('.what')).first().waitFor();
        await dialog(page).getByText('"weather"').first().waitFor();
        await inspect(page, 'engine-add');
        await apply(page, 'Add');
        assert.match(session.read('.xcsh/mcp.json'), /\/\/ mine[\s\S]*"weather": \{\s+"type": "stdio",[\s\S]*"CITY": "Bonn"/);
        await page.getByText('2 tools').first().waitFor();

        // The form.
        await page.getByRole('tab', { name: 'Config' }).click();
        await page.getByRole('textbox', { name: /Timeout/ }).fill('30 seconds');
        await page.getByText('Milliseconds, a whole number from 1').waitFor();
        await inspect(page, 'engine-form-error');
        await page.getByRole('textbox', { name: /Timeout/ }).fill('30000');
        const save = page.getByRole('button', { name: 'Save', exact: true });
        await page.waitForFunction((element) => element.getAttribute('aria-disabled') !== 'true', await save.elementHandle());
        await save.click();
        await until(page, () => /"timeout": 30000/.test(session.read('.xcsh/mcp.json')));

        // The matrix.
        await page.getByRole('button', { name: 'Servers and applications' }).click();
        await page.getByRole('checkbox', { name: 'weather in Cursor: not there' }).click();
        await dialog(page).getByText('Cursor has no timeout for connecting').waitFor();
        await inspect(page, 'engine-matrix-copy');
        await apply(page, 'Copy');
        await page.getByRole('checkbox', { name: /weather in Cursor: there/ }).waitFor();
        assert.deepEqual(JSON.parse(session.read('.cursor/mcp.json')).mcpServers.weather.env, { CITY: 'Bonn' });
        await inspect(page, 'engine-matrix');

        // Removed, and taken back with the keyboard.
        await page.getByRole('checkbox', { name: /weather in Cursor: there/ }).click();
        await apply(page, 'Remove');
        await page.getByRole('checkbox', { name: 'weather in Cursor: not there' }).waitFor();
        await page.keyboard.press('Control+z');
        await page.getByRole('checkbox', { name: /weather in Cursor: there/ }).waitFor();
      },
    ));

  test('a server of the registry is found, asked for what it needs, and added', async () => {
    const entries = JSON.parse(readFileSync(path.join(root, 'tests/fakes/registry.json'), 'utf8'));
    let asked = 0;
    const registry = http.createServer((request, response) => {
      asked += 1;
      const url = new URL(request.url, 'http://registry');
      const name = decodeURIComponent(url.pathname.split('/')[3] ?? '');
      const words = url.searchParams.get('search') ?? '';
      const answer = name === '' ? { servers: entries.filter((one) => one.server.name.includes(words)), metadata: {} } : entries.find((one) => one.server.name === name);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    await once(registry.listen(0, '127.0.0.1'), 'listening');
    try {
      await onEngine(
        (session) => {
          session.write('.config/jackfield/settings.json', { connect_at_start: 'none', registry_url: `http://127.0.0.1:${registry.address().port}` });
          session.write('.cursor/mcp.json', { mcpServers: {} });
        },
        async (page, session) => {
          await page.getByRole('button', { name: 'Add server' }).first().click();
          await dialog(page).getByText('From the registry').click();
          await dialog(page).getByText('mcp-server-weather').first().waitFor();
          await inspect(page, 'engine-registry');
          await dialog(page).getByRole('searchbox').fill('files');
          await dialog(page).getByText('mcp-server-weather').first().waitFor({ state: 'detached' });
          await dialog(page).getByRole('button', { name: /files-mcp/ }).click();
          await dialog(page).getByText('Fill in what is required').waitFor();
          const folder = dialog(page).getByRole('textbox', { name: 'folder' });
          await folder.fill('/');
          await folder.fill('');
          await dialog(page).getByText('needs a value').waitFor();
          await inspect(page, 'engine-registry-asks');
          await folder.fill('/srv/a b');
          await dialog(page).getByText('/srv/a b', { exact: false }).first().waitFor();
          await dialog(page).getByRole('button', { name: 'Other servers' }).click();
          await dialog(page).getByRole('searchbox').fill('weather');
          await dialog(page).getByRole('button', { name: /mcp-server-weather/ }).click();
          await dialog(page).getByText('Set WEATHER_KEY where xcsh is started').waitFor();
          await dialog(page).getByRole('combobox', { name: 'To' }).selectOption({ label: 'Cursor, user: ~/.cursor/mcp.json' });
          await dialog(page).getByText('Set WEATHER_KEY where Cursor is started').waitFor();
          await dialog(page).getByText('${env:WEATHER_KEY}').waitFor();
          await inspect(page, 'engine-registry-filled');
          const before = asked;
          await apply(page, 'Add');
          const written = JSON.parse(session.read('.cursor/mcp.json')).mcpServers.weather;
          assert.equal(written.command, 'uvx');
          assert.equal(written.env.WEATHER_KEY, '${env:WEATHER_KEY}');
          assert.equal(asked, before, 'what was described once is not asked for again');
        },
      );
    } finally {
      registry.close();
      registry.closeAllConnections();
    }
  });

  test('no page shows a secret, wherever it stands in the file', () => {
    const secrets = ['tvly-plain0000000000000000', 'plain-after-header', 'plain-in-env', 'plain-in-header', 'plain-in-key', 'plain-in-userinfo'];
    const [query, argument, variable, header, key, user] = secrets;
    return onEngine(
      (session) => {
        session.write('.config/jackfield/settings.json', { connect_at_start: 'none' });
        session.write('.cursor/mcp.json', { mcpServers: {} });
        session.write('.claude.json', {
          mcpServers: {
            zapier: { command: 'npx', args: ['-y', 'mcp-remote', 'https://zapier.example/connect', '--header', `Authorization: Bearer ${argument}`], env: { GITHUB_PERSONAL_ACCESS_TOKEN: variable } },
            tav: { type: 'http', url: `https://someone:${user}@tavily.example/mcp/?tavilyApiKey=${query}`, headers: { 'X-Api-Key': header }, apiKey: key },
          },
        });
      },
      async (page) => {
        const shows = async (where) => {
          const html = await page.content();
          // What is typed into fields stands in none of the attributes.
          const fields = await page.locator('input, textarea').evaluateAll((all) => all.map((one) => one.value).join('\n'));
          for (const secret of secrets) assert.ok(!`${html}\n${fields}`.includes(secret), `${secret} in ${where}`);
        };
        await row(page, 'tav').waitFor();
        await shows('the list');
        for (const name of ['tav', 'zapier']) {
          await row(page, name).locator('[data-row-main]').click();
          await page.getByRole('heading', { name, exact: true }).waitFor();
          for (const tab of await page.getByRole('tab').all()) {
            await tab.click();
            await page.getByRole('tabpanel').waitFor();
            if ((await tab.textContent()).includes('Config')) await page.getByRole('tabpanel').getByRole('textbox').first().waitFor();
            await shows(`${await tab.textContent()} of ${name}`);
          }
        }
        await page.getByRole('button', { name: 'Files of Claude Code' }).click();
        await page.getByRole('menuitem', { name: 'View as text' }).click();
        await page.getByRole('textbox', { name: /Text of/ }).getByText('mcp-remote').first().waitFor();
        await shows('the text of the file');
        await page.getByRole('button', { name: 'Servers and applications' }).click();
        await page.getByRole('checkbox', { name: 'zapier in Cursor: not there' }).click();
        await dialog(page).getByText('"zapier"').first().waitFor();
        await shows('the preview of a copy');
        await apply(page, 'Copy');
        await page.getByRole('button', { name: /^History/ }).first().click();
        await page.getByText(/Copied/).first().click();
        await page.getByText('"mcp-remote"').first().waitFor();
        await shows('the history');
        await page.getByRole('navigation').getByRole('button', { name: /^Findings/ }).click();
        await page.getByRole('button', { name: 'And notes' }).click();
        await page.getByRole('region', { name: 'Findings' }).getByText(/plain text/).first().waitFor();
        await shows('the findings');
      },
    );
  });

  test('the order of the tools decides who wins, and each value says where it is written', () =>
    onEngine(
      (session) => {
        session.write('.config/jackfield/settings.json', { connect_at_start: 'none' });
        session.write('.xcsh/mcp.json', { mcpServers: { same: { command: 'from-xcsh', env: { A: '1' } } } });
        session.write('.cursor/mcp.json', { mcpServers: { same: { command: 'from-cursor' } } });
      },
      async (page, session) => {
        await row(page, 'same').first().getByText('from-xcsh').waitFor();
        await page.getByRole('button', { name: 'Files of Cursor' }).click();
        await page.getByRole('menuitem', { name: /Move up/ }).click();
        await row(page, 'same').first().getByText('from-cursor').waitFor();
        assert.deepEqual(JSON.parse(session.read('.config/jackfield/settings.json')).hosts, ['cursor']);
        await page.getByRole('button', { name: 'Files of Cursor' }).click();
        await page.getByRole('menuitem', { name: 'Move down' }).click();
        await row(page, 'same').first().getByText('from-xcsh').waitFor();
        assert.deepEqual(JSON.parse(session.read('.config/jackfield/settings.json')).hosts, ['xcsh', 'cursor']);
        await row(page, 'same').first().click();
        await page.getByText('Shadowed, differs in command, env').waitFor();
        await page.getByRole('button', { name: 'A is written in ~/.xcsh/mcp.json, line 6: open it there' }).waitFor();
        await inspect(page, 'engine-places');
      },
    ));

  test('a file that loses its servers is announced and restored', () =>
    onEngine(
      (session) => {
        connectAtOnce(session);
        session.write('.cursor/mcp.json', '{\n  // mine\n  "mcpServers": {\n    "one": { "command": "true" },\n    "two": { "command": "true" }\n  }\n}\n');
      },
      async (page, session) => {
        const before = session.read('.cursor/mcp.json');
        await row(page, 'one').waitFor();
        session.replace('.cursor/mcp.json', () => '{ "mcpServers": ');
        await page.getByText('does not parse any more; it had 2 servers').waitFor();
        await inspect(page, 'engine-alert');
        await page.getByRole('button', { name: 'Restore…' }).click();
        await apply(page, 'Restore');
        await page.getByText('does not parse any more').waitFor({ state: 'detached' });
        assert.equal(session.read('.cursor/mcp.json'), before);
        session.replace('.cursor/mcp.json', () => '{ "mcpServers": {} }');
        await page.getByText('lost 2 servers').waitFor();
        await gone(page, 'one');
        await page.getByRole('button', { name: 'Leave it so' }).click();
        await page.getByText('lost 2 servers').waitFor({ state: 'detached' });
        await page.getByRole('status', { name: 'Messages' }).getByRole('button', { name: 'Restore…' }).click();
        await apply(page, 'Restore');
        await row(page, 'one').waitFor();
        assert.equal(session.read('.cursor/mcp.json'), before);
      },
    ));

  test('a conflict shows both sides and loses nothing', () =>
    onEngine(
      (session) => {
        connectAtOnce(session);
        session.write('.xcsh/mcp.json', { mcpServers: { api: { type: 'http', url: 'https://api.example.invalid/mcp', headers: { 'X-Team': 'core' }, enabled: false } } });
      },
      async (page, session) => {
        await row(page, 'api').click();
        await page.getByRole('tab', { name: 'Config' }).click();
        const url = page.getByRole('textbox', { name: 'URL' });
        await url.fill('https://ours.example.invalid/mcp');
        session.replace('.xcsh/mcp.json', (text) => text.replace('https://api.example', 'https://theirs.example').replace('core', 'edge'));
        const save = page.getByRole('button', { name: 'Save', exact: true });
        await page.waitForFunction((element) => element.getAttribute('aria-disabled') !== 'true', await save.elementHandle());
        await save.click();
        await page.getByText('theirs.example').first().waitFor();
        await inspect(page, 'engine-conflict');
        assert.match(session.read('.xcsh/mcp.json'), /theirs\.example/);
      },
    ));

  test('a finding is put right with one click, and its file shows what would change', () =>
    onEngine(
      (session) => {
        connectAtOnce(session);
        session.write('.claude.json', { mcpServers: { docs: { url: 'https://docs.example.invalid/mcp' } } });
      },
      async (page, session) => {
        await page.getByRole('button', { name: /^Findings/ }).click();
        await inspect(page, 'engine-findings');
        await page.getByRole('button', { name: 'Add the type' }).first().click();
        await dialog(page).getByText('"type": "http"').waitFor();
        await inspect(page, 'engine-fix');
        await apply(page, 'Apply');
        assert.equal(JSON.parse(session.read('.claude.json')).mcpServers.docs.type, 'http');
      },
    ));
});
