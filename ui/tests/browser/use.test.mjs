// The window in use, on the fake engine: live changes, keyboard, calls, lost connections, size.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { drawing, many, welcome } from './fixture.mjs';
import { closeBrowser, onPage, openBrowser } from './page.mjs';

const row = (page, id) => page.locator(`[data-id="${id}"] [data-row-main]`);
const lamp = (page, id) => page.locator(`[data-id="${id}"] [data-lamp]`);
const until = async (check, what) => {
  const end = Date.now() + 10_000;
  while (!(await check())) {
    assert.ok(Date.now() < end, `never: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
};
const asked = (fake, cmd) => fake.commands.filter((command) => command.cmd === cmd);

describe('the window in use', () => {
  before(openBrowser);
  after(closeBrowser);

  test('deltas arrive, a gap and a lost stream are made good by a snapshot', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const id = 'claude-code:user:playwright';
      await row(page, id).waitFor();
      const server = fake.snapshot.servers.find((one) => one.id === id);
      fake.setRow({ ...server, status: 'connected', latency_ms: 7, tools_cached: false });
      await page.locator(`[data-id="${id}"] [data-lamp=disc]`).waitFor();
      const before = asked(fake, 'snapshot').length;
      fake.snapshot.revision += 3;
      fake.setRow({ ...server, status: 'disconnected', reason: 'failed', message: 'Exited with code 3' });
      await page.getByText('Exited with code 3').waitFor();
      assert.equal(asked(fake, 'snapshot').length, before + 1);
      fake.cutEvents();
      fake.snapshot.servers = fake.snapshot.servers.map((one) => (one.id === id ? { ...server, message: null } : one));
      await page.locator(`[data-id="${id}"] [data-lamp=arc]`).waitFor();
      await until(async () => (await page.getByText('The connection to the engine was lost').count()) === 0, 'the notice goes');
    }));

  test('an engine that does not answer is tried again', () =>
    onPage(drawing(), { fake: { down: true } }, async ({ page, fake }) => {
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      fake.down = false;
      await page.getByRole('button', { name: 'Try again' }).click();
      await row(page, 'xcsh:user:github').waitFor();
    }));

  test('all by keyboard', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await row(page, 'xcsh:user:github').waitFor();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('memory');
      await until(async () => (await page.locator('[data-row-main]').count()) === 1, 'one row');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Space');
      await page.getByText('Cursor still starts it itself').waitFor();
      assert.deepEqual(asked(fake, 'set_enabled'), [{ cmd: 'set_enabled', id: 'claude-desktop:user:memory', on: false }]);
      await page.keyboard.press('Escape');
      await until(async () => (await page.locator('[data-row-main]').count()) === 15, 'all rows');
      await row(page, 'claude-code:user:linear').focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('ArrowDown');
      await page.getByRole('heading', { name: 'postgres' }).waitFor();
      await page.keyboard.press('r');
      await until(() => asked(fake, 'reconnect').length === 1, 'reconnect');
      await page.keyboard.press('Enter');
      await until(() => page.evaluate(() => document.activeElement?.id === 'detail'), 'the focus in the detail');
      await page.keyboard.press('F5');
      await page.keyboard.press('Control+r');
      await until(() => asked(fake, 'reload').length >= 1, 'reload');
      await page.keyboard.press('Control+2');
      await page.getByRole('heading', { name: 'Connected' }).waitFor();
    }));

  test('a name is copied', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await row(page, 'xcsh:user:github').click();
      await page.locator('.acts').getByRole('button', { name: 'More for github' }).click();
      await page.getByRole('menuitem', { name: 'Copy name' }).click();
      await page.getByText('Copied github.').waitFor();
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'github');
    }));

  test('a switch that cannot be moved says why', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const toggle = page.locator('[data-id="cursor:user:github"] [role=switch]');
      await toggle.click({ force: true });
      await page.getByRole('status').getByText('The definition of xcsh is in use').waitFor();
      assert.equal(asked(fake, 'set_enabled').length, 0);
    }));

  test('a review approves exactly what it showed', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await page.getByRole('button', { name: 'Review: deploy' }).click();
      await page.getByText('--message=with a space').waitFor();
      assert.equal(asked(fake, 'approve').length, 0);
      await page.getByRole('button', { name: 'Approve and connect' }).click();
      await page.getByText('Approved deploy.').waitFor();
      assert.deepEqual(asked(fake, 'approve'), [{ cmd: 'approve', id: 'dot-mcp:project:deploy', hash: 'abc' }]);
    }));

  test('a tool is called, cancelled, and a large answer is shown in parts', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await row(page, 'xcsh:user:github').click();
      await page.getByRole('tab', { name: /Tools/ }).click();
      await page.locator('[data-key="list_issues"]').click();
      const args = page.getByLabel('Arguments (JSON)');
      assert.deepEqual(JSON.parse(await args.inputValue()), { owner: '', repo: '', state: 'open' });
      await args.fill('[1]');
      await page.keyboard.press('Control+Enter');
      await page.getByText('must be a JSON object').waitFor();
      assert.equal(asked(fake, 'call_tool').length, 0);
      await args.fill('{"state":"slow"}');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('The call was cancelled').waitFor();
      await args.fill('{"state":"large"}');
      await page.keyboard.press('Control+Enter');
      await page.getByRole('button', { name: 'Show all 1,048,576 characters' }).click();
      await until(() => page.evaluate(() => document.querySelector('pre')?.textContent?.length === 1_048_576), 'all of it');
      await args.fill('{}');
      await page.keyboard.press('Control+Enter');
      await page.getByText('<img src=x onerror=alert(1)>').waitFor();
      await page.getByRole('button', { name: 'Raw' }).click();
      await page.getByText('"isError": false').waitFor();
    }));

  test('the log follows, and stands still while it is read', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const id = 'xcsh:user:github';
      await row(page, id).click();
      await page.getByRole('tab', { name: 'Log' }).click();
      await page.getByText('[59]').waitFor();
      const add = (seq, text) => {
        fake.log = { ...fake.log, lines: [...fake.log.lines, { seq, at: Date.now(), kind: 'stderr', tone: 'neutral', text }] };
        fake.send({ kind: 'log', id, last: seq });
      };
      add(60, 'a new line');
      await page.getByText('a new line').waitFor();
      assert.deepEqual(asked(fake, 'server_log').at(-1).after, 59);
      const box = page.getByRole('region', { name: 'Log' });
      await until(() => box.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight < 2), 'the end');
      await box.evaluate((element) => (element.scrollTop = 0));
      await page.getByRole('button', { name: 'Follow' }).waitFor();
      add(61, 'another line');
      await until(() => asked(fake, 'server_log').at(-1).after === 60, 'fetched');
      assert.equal(await box.evaluate((element) => element.scrollTop), 0);
      await page.getByRole('button', { name: 'Lifecycle', exact: true }).click();
      await until(async () => (await page.getByText('[59]').count()) === 0, 'only lifecycle');
    }));

  test('the welcome view answers with what was chosen', () =>
    onPage(welcome(), {}, async ({ page, fake }) => {
      await page.getByRole('button', { name: 'Choose…' }).click();
      for (const name of ['github', 'linear']) await page.getByRole('checkbox', { name, exact: true }).first().uncheck();
      await page.getByRole('button', { name: /^Connect \d+ servers/ }).click();
      await page.getByRole('heading', { name: 'All servers' }).waitFor();
      const [answer] = asked(fake, 'set_connect_at_start');
      assert.equal(answer.choice, 'chosen');
      assert.ok(!answer.chosen.includes('xcsh:user:github') && answer.chosen.includes('claude-desktop:user:memory'));
      assert.ok(!answer.chosen.includes('dot-mcp:project:deploy'), 'what waits for approval is not chosen');
    }));

  test('a project is opened by its path, and a wrong path is said', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await page.getByRole('button', { name: /^Project/ }).click();
      await page.getByLabel('Path of a folder').fill('/missing');
      await page.keyboard.press('Enter');
      await page.getByText('No folder').waitFor();
      await page.getByLabel('Path of a folder').fill('/home/ana/code/other');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Project: ~/code/other' }).waitFor();
    }));

  test('the theme follows the choice and is kept for the next first paint', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await page.getByRole('button', { name: 'Theme' }).click();
      await page.getByRole('menuitemradio', { name: 'Dark' }).click();
      await page.locator('html[data-theme=dark]').waitFor();
      assert.deepEqual(asked(fake, 'set_theme'), [{ cmd: 'set_theme', theme: 'dark' }]);
      assert.equal(await page.evaluate(() => localStorage.getItem('theme')), 'dark');
    }));

  test('rows do not move under the pointer', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const id = 'claude-desktop:user:memory';
      await row(page, id).hover();
      const ids = () => page.locator('[data-id]').evaluateAll((all) => all.map((one) => one.dataset.id));
      const before = await ids();
      const server = fake.snapshot.servers.find((one) => one.id === id);
      fake.setRow({ ...server, status: 'disconnected', reason: 'failed', message: 'Gone' });
      await page.locator(`[data-id="${id}"] [data-lamp=triangle]`).waitFor();
      assert.deepEqual(await ids(), before);
      await page.mouse.move(5, 5);
      await until(async () => (await ids()).indexOf(id) < 4, 'on top when the pointer has left');
    }));

  test('twenty thousand tools are one list that can be searched', () =>
    onPage(many(1000), {}, async ({ page, fake }) => {
      await page.getByRole('navigation').getByRole('button', { name: /^Tools/ }).click();
      await page.getByText('20,143 tools of 1,007 servers').waitFor();
      assert.equal(asked(fake, 'server_tools').length, 1007);
      assert.ok((await page.locator('.tool').count()) < 100);
      await page.keyboard.press('Control+k');
      await page.keyboard.type('fork server-999');
      await page.getByText('1 tool of 1 server').waitFor();
    }));

  test('a thousand servers: few rows are drawn and a change is quick', () =>
    onPage(many(1000), {}, async ({ page, fake }) => {
      await row(page, 'xcsh:user:github').waitFor();
      assert.ok((await page.locator('[data-id]').count()) < 80);
      await row(page, 'claude-code:user:linear').focus();
      await page.keyboard.press('End');
      await until(() => page.evaluate(() => document.activeElement?.matches('[data-row-main]')), 'the last row has the focus');
      await page.keyboard.press('Home');
      await lamp(page, 'claude-code:user:linear').waitFor();
      const started = Date.now();
      for (let n = 0; n < 300; n += 1) {
        const server = fake.snapshot.servers[20 + n];
        fake.setRow({ ...server, latency_ms: 5 });
      }
      fake.setRow({ ...fake.snapshot.servers[4], name: 'last-change' });
      await page.getByText('last-change').first().waitFor();
      assert.ok(Date.now() - started < 5000, `${Date.now() - started} ms`);
    }));
});
