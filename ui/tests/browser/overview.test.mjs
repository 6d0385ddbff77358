// What is where and what is wrong: servers and tools, findings with their cures, files that lost their servers.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { drawing, everyState, many } from './fixture.mjs';
import { closeBrowser, inspect, onPage, openBrowser } from './page.mjs';

const text = (fake, source) => fake.edits.sources.get(source).text;
const nav = (page, name) => page.getByRole('navigation').getByRole('button', { name, exact: true }).click();
const cell = (page, server, tool) => page.getByRole('checkbox', { name: new RegExp(`^${server} in ${tool}: `) });
const asked = (fake, cmd) => fake.commands.filter((command) => command.cmd === cmd);
const edits = (fake) => fake.commands.filter((command) => command.cmd === 'apply_edit');

const until = async (check, what) => {
  const end = Date.now() + 10_000;
  while (!(await check())) {
    assert.ok(Date.now() < end, `never: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
};

async function matrix(page) {
  await nav(page, 'Servers and applications');
  await page.getByRole('checkbox').first().waitFor();
}

describe('servers and tools', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const theme of ['light', 'dark']) {
    test(`cells say what is where: ${theme}`, () =>
      onPage(everyState(), { theme }, async ({ page }) => {
        await matrix(page);
        const said = (server, tool) => cell(page, server, tool).getAttribute('aria-label');
        assert.equal(await said('linear', 'Cursor'), 'linear in Cursor: not there');
        assert.equal(await said('github', 'xcsh'), 'github in xcsh: there');
        assert.equal(await said('github', 'Cursor'), 'github in Cursor: there, shadowed, differs in url, headers, timeout');
        assert.equal(await said('puppeteer', 'Claude Desktop'), 'puppeteer in Claude Desktop: there, off');
        assert.equal(await said('invalid', 'Cursor'), 'invalid in Cursor: there, invalid');
        await inspect(page, `matrix-${theme}`);
      }));
  }

  test('a tick copies after its preview, by keyboard; nothing is written before', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await matrix(page);
      await cell(page, 'linear', 'Cursor').focus();
      await page.keyboard.press('Space');
      const dialog = page.getByRole('dialog', { name: 'Copy linear to another application' });
      await dialog.getByText('https://mcp.linear.app/mcp').waitFor();
      assert.equal(edits(fake).length, 0);
      await inspect(page, 'matrix-copy');
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      assert.equal(edits(fake).length, 0, 'Escape writes nothing');
      assert.match(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), /^linear in Cursor/, 'the focus is back');
      await page.keyboard.press('Space');
      await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.deepEqual(edits(fake).map((one) => one.edit), [{ op: 'copy', id: 'claude-code:user:linear', source: 'cursor:user', name: null, keep: true }]);
      assert.match(text(fake, 'cursor:user'), /mcp\.linear\.app/);
      assert.match(text(fake, 'claude-code:user'), /mcp\.linear\.app/, 'and it stays where it was');
    }));

  test('the filter narrows the rows', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await matrix(page);
      await page.getByRole('searchbox', { name: 'Filter by name' }).fill('git');
      await until(async () => (await page.locator('.matrix li .name').allTextContents()).join() === 'github', 'only github is left');
    }));

  test('unticking removes after its preview', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await matrix(page);
      await cell(page, 'memory', 'Claude Desktop').click();
      const dialog = page.getByRole('dialog', { name: 'Remove memory' });
      await dialog.getByText('"memory"').first().waitFor();
      await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
      assert.doesNotMatch(text(fake, 'claude-desktop:user'), /"memory"/);
    }));

  test('in a narrow window names and tools stay in sight while the rest moves', () =>
    onPage(many(1000), { size: { width: 640, height: 500 } }, async ({ page }) => {
      await page.getByRole('button', { name: 'Views and sources' }).click();
      await matrix(page);
      assert.ok((await page.getByRole('checkbox').count()) < 1000, 'only what is looked at is drawn');
      await page.getByRole('checkbox').first().focus();
      await page.keyboard.press('End');
      for (let n = 0; n < 6; n += 1) await page.keyboard.press('PageDown');
      await until(() => page.evaluate(() => document.activeElement?.dataset.cell?.startsWith('90-')), 'the focus is far down');
      const seen = await page.evaluate(() => {
        const now = document.activeElement.getBoundingClientRect();
        const line = document.activeElement.closest('.line');
        const name = line.querySelector('.name').getBoundingClientRect();
        const heads = document.querySelectorAll('.head .host');
        const head = heads[heads.length - 1].getBoundingClientRect();
        const frame = document.querySelector('.matrix').getBoundingClientRect();
        return { name: name.left - frame.left, cell: now.right - frame.right, under: now.left >= name.right, below: now.top >= head.bottom, bottom: now.bottom <= frame.bottom, column: Math.abs((head.left + head.right) / 2 - (now.left + now.right) / 2) };
      });
      assert.ok(seen.name >= 0 && seen.name < 30, `the name is at the left edge: ${JSON.stringify(seen)}`);
      assert.ok(seen.cell <= 0 && seen.under && seen.below && seen.bottom, `the cell with the focus is in sight: ${JSON.stringify(seen)}`);
      assert.ok(seen.column < 2, `its tool stands over it: ${JSON.stringify(seen)}`);
      await inspect(page, 'matrix-narrow');
    }));
});

const CURED = { source: 'xcsh:user', title: 'Remove the header', change: (all) => all.replace(/,?\n\s*"X-Team": "[^"]*"/, '') };
function withFix() {
  const snapshot = everyState();
  snapshot.findings[1].fixes = [{ title: CURED.title }];
  return snapshot;
}

describe('findings', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const theme of ['light', 'dark']) {
    test(`are listed by file and by weight, and lead to their line: ${theme}`, () =>
      onPage(withFix(), { theme }, async ({ page, fake }) => {
        await page.getByRole('navigation').getByRole('button', { name: /^Findings/ }).click();
        const list = page.getByRole('region', { name: 'Findings' });
        await list.getByRole('heading', { level: 2 }).first().waitFor();
        assert.deepEqual((await list.getByRole('heading', { level: 2 }).allTextContents()).sort(), ['~/.codex/config.toml', '~/.xcsh/mcp.json', '~/code/shop/.cursor/mcp.json']);
        await inspect(page, `findings-${theme}`);
        await list.getByRole('button', { name: 'Errors', exact: true }).click();
        assert.deepEqual(await list.getByRole('heading', { level: 2 }).allTextContents(), ['~/code/shop/.cursor/mcp.json']);
        await list.getByRole('button', { name: 'Open file' }).click();
        await until(() => fake.commands.some((one) => one.cmd === 'open_file'), 'the file is opened');
        assert.deepEqual(fake.commands.filter((one) => one.cmd === 'open_file'), [{ cmd: 'open_file', path: '/home/ana/code/shop/.cursor/mcp.json', line: 12 }]);
      }));
  }

  for (const from of ['the list of findings', 'the server']) {
    test(`a cure from ${from} shows its lines first`, () =>
      onPage(withFix(), {}, async ({ page, fake }) => {
        fake.edits.cures.set('f2', [CURED]);
        if (from === 'the server') await page.locator('[data-id="xcsh:user:github"] [data-row-main]').click();
        else await page.getByRole('navigation').getByRole('button', { name: /^Findings/ }).click();
        await page.getByRole('button', { name: CURED.title }).first().click();
        const dialog = page.getByRole('dialog', { name: CURED.title });
        await dialog.getByText('"X-Team"').first().waitFor();
        assert.match(text(fake, 'xcsh:user'), /X-Team/);
        await dialog.getByRole('button', { name: 'Apply' }).click();
        await dialog.waitFor({ state: 'detached' });
        assert.doesNotMatch(text(fake, 'xcsh:user'), /X-Team/);
        await page.getByRole('button', { name: 'Undo', exact: true }).click();
        await page.getByText(/^Undid/).waitFor();
        assert.match(text(fake, 'xcsh:user'), /X-Team/);
      }));
  }
});

const PATH = '/home/ana/.cursor/mcp.json';
function withLoss() {
  const snapshot = drawing();
  snapshot.overall.alerts = [{ path: PATH, display_path: '~/.cursor/mcp.json', what: 'lost 2 servers', servers: ['filesystem', 'github'], at: Date.now() - 125_000, restorable: true, answered: false }];
  return snapshot;
}

describe('a file that lost its servers', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const theme of ['light', 'dark']) {
    test(`is said over the list, and restored after a preview: ${theme}`, () =>
      onPage(withLoss(), { theme }, async ({ page, fake }) => {
        const before = text(fake, 'cursor:user');
        fake.edits.lost.set(PATH, before);
        fake.edits.touch('cursor:user', () => ({}));
        const banner = page.getByRole('status').filter({ hasText: 'lost 2 servers' });
        assert.match(await banner.innerText(), /~\/\.cursor\/mcp\.json lost 2 servers \(filesystem, github\), 2 min/);
        await inspect(page, `alert-${theme}`);
        await banner.getByRole('button', { name: 'Restore' }).click();
        const dialog = page.getByRole('dialog', { name: 'Restore ~/.cursor/mcp.json' });
        await dialog.getByText('"filesystem"').first().waitFor();
        assert.notEqual(text(fake, 'cursor:user'), before);
        await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
        await dialog.waitFor({ state: 'detached' });
        assert.equal(text(fake, 'cursor:user'), before);
      }));
  }

  test('can be left so', () =>
    onPage(withLoss(), {}, async ({ page, fake }) => {
      await page.getByRole('button', { name: 'Leave it' }).click();
      await page.getByText('lost 2 servers').waitFor({ state: 'detached' });
      await page.getByText('~/.cursor/mcp.json is left as it is.').waitFor();
      assert.deepEqual(fake.commands.filter((one) => one.cmd === 'dismiss_alert'), [{ cmd: 'dismiss_alert', path: PATH }]);
      assert.equal(edits(fake).length, 0);
    }));
});

const UNREAD = '/home/ana/code/shop/mcp.json';
function withUnread() {
  const snapshot = drawing();
  const unread = { code: 'unread-file', severity: 'info', title: 'No tool reads this file', detail: '', column: null, line: null, fixes: [] };
  snapshot.findings.push({ ...unread, id: 'u1', path: UNREAD, display_path: '~/code/shop/mcp.json', server: null });
  snapshot.findings.push({ ...unread, id: 'u2', path: '/home/ana/other.json', display_path: '~/other.json', server: 'github' });
  return snapshot;
}

describe('the files in the side column', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const theme of ['light', 'dark']) {
    test(`are opened, shown in their folder and as text: ${theme}`, () =>
      onPage(withUnread(), { theme }, async ({ page, fake }) => {
        const side = page.getByRole('navigation');
        await side.getByRole('button', { name: 'Files of Cursor' }).click();
        assert.deepEqual((await page.getByRole('menuitem').allTextContents()).map((one) => one.trim()), ['Open file (user)', 'Show in folder (user)', 'View as text (user)', 'Add server here (user)', 'Open file (project)', 'Show in folder (project)', 'View as text (project)', 'Add server here (project)', 'Move up: wins over those below', 'Move down']);
        await inspect(page, `files-menu-${theme}`);
        await page.getByRole('menuitem', { name: 'Show in folder (project)' }).click();
        await until(() => asked(fake, 'reveal_file').length === 1, 'the folder is shown');
        assert.equal(asked(fake, 'reveal_file')[0].path, '/home/ana/code/shop/.cursor/mcp.json');
        await side.getByRole('button', { name: 'Files of Cursor' }).press('ArrowDown');
        await page.keyboard.press('Enter');
        await until(() => asked(fake, 'open_file').length === 1, 'the file is opened');
        assert.equal(asked(fake, 'open_file')[0].path, '/home/ana/.cursor/mcp.json');
        await side.getByRole('button', { name: 'Files of Cursor' }).click();
        await page.getByRole('menuitem', { name: 'View as text (project)' }).click();
        await page.getByRole('textbox', { name: 'Text of ~/code/shop/.cursor/mcp.json' }).getByText('postgres').first().waitFor();
        await inspect(page, `files-text-${theme}`);
      }));
  }

  test('a text that is typed is not lost on the way to another file', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await page.getByRole('button', { name: 'Files of xcsh' }).click();
      await page.getByRole('menuitem', { name: 'View as text' }).click();
      const editor = page.getByRole('textbox', { name: 'Text of ~/.xcsh/mcp.json' });
      await editor.click();
      await page.keyboard.type(' ');
      await page.getByRole('button', { name: 'Files of Claude Code' }).click();
      await page.getByRole('menuitem', { name: 'View as text' }).click();
      await page.getByRole('dialog', { name: /Save the changes to/ }).getByRole('button', { name: 'Discard and go' }).click();
      await page.getByRole('textbox', { name: 'Text of ~/.claude.json' }).waitFor();
    }));

  test('those that no tool reads are listed apart', () =>
    onPage(withUnread(), {}, async ({ page, fake }) => {
      await page.getByRole('heading', { name: 'Not read by any application' }).waitFor();
      assert.equal(await page.getByRole('navigation').getByText('~/other.json').count(), 0, 'a finding about a server is none of these');
      await page.getByRole('button', { name: 'Menu of ~/code/shop/mcp.json' }).click();
      assert.deepEqual((await page.getByRole('menuitem').allTextContents()).map((one) => one.trim()), ['Open file', 'Show in folder']);
      await page.getByRole('menuitem', { name: 'Open file' }).click();
      await until(() => asked(fake, 'open_file').length === 1, 'the file is opened');
      assert.equal(asked(fake, 'open_file')[0].path, UNREAD);
    }));
});

describe('insight', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const theme of ['light', 'dark']) {
    test(`what a slow server is at, and what it said last: ${theme}`, () =>
      onPage(everyState(), { theme }, async ({ page, fake }) => {
        const row = fake.snapshot.servers.find((one) => one.status === 'connecting');
        await page.locator(`[data-id="${row.id}"] [data-row-main]`).click();
        const region = page.getByRole('main').or(page.locator('body'));
        await region.getByText(/^Waiting for its answer, [\d,]+ s$/).first().waitFor();
        await region.getByText('npm warn deprecated: fetching 214 packages').first().waitFor();
        await inspect(page, `insight-connecting-${theme}`);
      }));
  }

  test('how long the stages took, restarts, and what its processes take', () =>
    onPage(everyState(), {}, async ({ page, fake }) => {
      const row = fake.snapshot.servers.find((one) => one.status === 'connected' && one.transport === 'stdio');
      await page.locator(`[data-id="${row.id}"] [data-row-main]`).click();
      await page.getByText('variables 3 ms, start 12 ms, handshake 351 ms, tools 46 ms').waitFor();
      await page.getByText('2 times', { exact: true }).waitFor();
      await page.getByText('3, 82 MB, 1.2 % of a core').waitFor();
      await inspect(page, 'insight-connected');
      // Another server's processes are not asked for any more.
      const other = fake.snapshot.servers.find((one) => one.status === 'connected' && one.transport === 'http');
      await page.locator(`[data-id="${other.id}"] [data-row-main]`).click();
      await page.getByText('3, 82 MB, 1.2 % of a core').waitFor({ state: 'detached' });
    }));
});
