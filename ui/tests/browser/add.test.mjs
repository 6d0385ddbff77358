// Adding servers on the fake engine: a pasted text, several at once, by hand, from the registry.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { drawing, empty } from './fixture.mjs';
import { closeBrowser, inspect, onPage, openBrowser } from './page.mjs';

const row = (page, id) => page.locator(`[data-id="${id}"] [data-row-main]`);
const edits = (fake) => fake.commands.filter((command) => command.cmd === 'apply_edit').map((command) => command.edit);
const text = (fake, source = 'xcsh:user') => fake.edits.sources.get(source).text;
const dialog = (page) => page.getByRole('dialog', { name: 'Add server' });
const field = (page) => dialog(page).getByLabel('What you found');
const add = (page, name = 'Add') => dialog(page).getByRole('button', { name, exact: true }).last();
const LINE = 'claude mcp add clock -- npx -y clock-mcp --zone Europe/Berlin';
const THREE = JSON.stringify({
  mcpServers: {
    clock: { command: 'npx', args: ['-y', 'clock-mcp'], timeout: 30000, notes: ['`envFile` is read by Cursor only: it is left out'] },
    github: { url: 'https://api.githubcopilot.com/mcp/' },
    search: { command: 'uvx', args: ['search-mcp', '--depth', '3'] },
  },
});
const until = async (check, what) => {
  const end = Date.now() + 10_000;
  while (!(await check())) {
    assert.ok(Date.now() < end, `never: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
};
async function open(page) {
  await row(page, 'xcsh:user:github').waitFor();
  await page.keyboard.press('Control+n');
  await dialog(page).waitFor();
}
const way = (page, name) => dialog(page).getByRole('button', { name, exact: true }).click();

describe('adding a server', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const theme of ['light', 'dark']) {
    test(`a pasted line says what it is, what it runs and what it changes: ${theme}`, () =>
      onPage(drawing(), { theme }, async ({ page, fake }) => {
        await open(page);
        await inspect(page, `add-empty-${theme}`);
        await field(page).fill(LINE);
        await dialog(page).getByText('Recognised: A claude mcp add command').waitFor();
        await dialog(page).getByText('The scope user is not kept').waitFor();
        assert.deepEqual(await dialog(page).locator('figure ol li').allTextContents(), ['npx', '-y', 'clock-mcp', '--zone', 'Europe/Berlin']);
        await dialog(page).getByRole('figure', { name: 'Change to ~/.xcsh/mcp.json' }).waitFor();
        assert.equal(edits(fake).length, 0, 'nothing is written by looking');
        await inspect(page, `add-paste-${theme}`);
        await add(page).click();
        await dialog(page).waitFor({ state: 'detached' });
        assert.match(text(fake), /"clock": \{/);
        assert.equal(edits(fake)[0].from, 'claude-code');
        await page.getByRole('heading', { name: 'clock' }).waitFor();
        await page.getByRole('button', { name: 'Undo', exact: true }).click();
        await row(page, 'xcsh:user:clock').waitFor({ state: 'detached' });
        assert.doesNotMatch(text(fake), /clock/);
      }));

    test(`several of one text are chosen, tried and added together: ${theme}`, () =>
      onPage(drawing(), { theme }, async ({ page, fake }) => {
        await open(page);
        await field(page).fill(THREE);
        await dialog(page).getByText('Recognised: 3 servers, as Cursor writes them', { exact: true }).waitFor();
        await dialog(page).getByText('Server "github" already exists in ~/.xcsh/mcp.json').waitFor();
        await dialog(page).getByText('envFile is read by Cursor only').waitFor();
        assert.ok(await add(page, 'Add 3 servers').isDisabled(), 'one of them cannot be added');
        await dialog(page).getByRole('button', { name: 'Details of search' }).click();
        await dialog(page).locator('figure ol li', { hasText: '--depth' }).waitFor();
        assert.equal(await dialog(page).getByRole('figure', { name: /^Change to/ }).count(), 0, 'no difference as long as one of them cannot be added');
        await dialog(page).getByRole('checkbox', { name: /^github/ }).uncheck();
        // One difference for the file, with both of them.
        const change = dialog(page).getByRole('figure', { name: 'Change to ~/.xcsh/mcp.json' });
        await change.waitFor();
        assert.equal(await dialog(page).getByRole('figure', { name: /^Change to/ }).count(), 1);
        for (const name of ['clock', 'search']) await change.getByText(`"${name}": {`).waitFor();
        assert.equal((await dialog(page).innerText()).match(/\b3 servers/g).length, 1, 'how many there are is said once');
        await inspect(page, `add-several-${theme}`);
        await until(() => add(page, 'Add 2 servers').isEnabled(), 'two can be added');
        await add(page, 'Add 2 servers').click();
        await page.getByText('Added clock, search in ~/.xcsh/mcp.json.').waitFor();
        assert.deepEqual(edits(fake).map((one) => one.servers.map(({ form, from }) => [form.name, from])), [[['clock', 'cursor'], ['search', 'cursor']]], 'one write');
        await page.getByRole('button', { name: 'Undo', exact: true }).click();
        await until(() => !/clock|search-mcp/.test(text(fake)), 'both are gone again');
      }));

    test(`the registry is searched, asked and added from: ${theme}`, () =>
      onPage(drawing(), { theme }, async ({ page, fake }) => {
        await open(page);
        await way(page, 'From the registry');
        const list = dialog(page).getByRole('list', { name: /^Servers of/ });
        await list.getByRole('button', { name: /weather-old/ }).getByText('Deprecated: use').waitFor();
        await inspect(page, `add-registry-${theme}`);
        await dialog(page).getByLabel('Search the registry').fill('weather');
        await until(async () => (await list.getByRole('listitem').count()) === 2, 'two rows');
        await list.getByRole('button', { name: /^Weather io/ }).click();
        await dialog(page).getByRole('radio', { name: /npx/ }).waitFor();
        assert.ok(await dialog(page).getByRole('radio', { name: /Bundles cannot be run yet/ }).isDisabled());
        await dialog(page).getByText('Fill in what is required').waitFor();
        assert.equal(await dialog(page).getByText('city is required').count(), 0, 'nobody is blamed before they typed');
        const city = dialog(page).getByLabel('city');
        await city.fill('B');
        await city.fill('');
        await dialog(page).getByText('city is required').waitFor();
        await city.fill('Bad Godesberg');
        assert.equal(await dialog(page).getByLabel('WEATHER_TOKEN').getAttribute('type'), 'password');
        await dialog(page).getByText('Set WEATHER_TOKEN where xcsh is started').waitFor();
        await dialog(page).getByLabel('layer').fill('rain\nsnow');
        await until(async () => (await dialog(page).locator('figure ol li').allTextContents()).includes('snow'), 'the exact command follows');
        assert.deepEqual(await dialog(page).locator('figure ol li').allTextContents(),
          ['npx', '-y', 'weather-mcp@2.4.1', '--city', 'Bad Godesberg', '--units', 'metric', '--layer', 'rain', '--layer', 'snow']);
        await dialog(page).getByLabel('Name', { exact: true }).fill('sky');
        await dialog(page).getByLabel('To', { exact: true }).selectOption('cursor:user');
        await dialog(page).getByText('Set WEATHER_TOKEN where Cursor is started').waitFor();
        await dialog(page).getByText('${env:WEATHER_TOKEN}').first().waitFor();
        assert.equal(await dialog(page).getByLabel('Name', { exact: true }).inputValue(), 'sky', 'what was typed stays');
        await inspect(page, `add-registry-form-${theme}`);
        await until(() => add(page).isEnabled(), 'it can be added');
        const count = fake.commands.length;
        await page.evaluate(() => new Promise((done) => setTimeout(done, 600)));
        assert.equal(fake.commands.length, count, 'an answer asks nothing by itself');
        await add(page).click();
        await dialog(page).waitFor({ state: 'detached' });
        assert.match(text(fake, 'cursor:user'), /"sky": \{[^}]*weather-mcp@2\.4\.1/s);
      }));
  }

  test('page after page, and back to where one was', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await open(page);
      await way(page, 'From the registry');
      await dialog(page).getByRole('button', { name: 'Show more' }).click();
      await until(() => page.evaluate(() => document.activeElement?.textContent?.includes('server-20')), 'the first of the new ones has the focus');
      await page.keyboard.press('Enter');
      await dialog(page).getByRole('button', { name: 'Other servers' }).click();
      await until(() => page.evaluate(() => document.activeElement?.textContent?.includes('server-20')), 'the focus is back on its row');
      assert.equal(await dialog(page).getByRole('list', { name: /^Servers of/ }).getByRole('button', { name: /server-/ }).count(), 38);
    }));

  test('a registry that does not answer is said, and asked again', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      fake.finds.down = true;
      await open(page);
      await way(page, 'From the registry');
      await dialog(page).getByText('registry_url in the settings').waitFor();
      await inspect(page, 'add-registry-down');
      fake.finds.down = false;
      await dialog(page).getByLabel('Search the registry').fill('old');
      await dialog(page).getByRole('button', { name: /weather-old/ }).waitFor();
    }));

  test('of several, the only one that is meant can be edited first', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await open(page);
      await field(page).fill(THREE);
      for (const name of [/^github/, /^search/]) await dialog(page).getByRole('checkbox', { name }).uncheck();
      await dialog(page).getByLabel('Name', { exact: true }).fill('wall-clock');
      await until(() => add(page).isEnabled(), 'it can be added');
      await add(page).click();
      await dialog(page).waitFor({ state: 'detached' });
      assert.deepEqual(edits(fake).map((one) => [one.form.name, one.from]), [['wall-clock', 'cursor']]);
    }));

  test('when several cannot be written, none of them is, and it can be tried again', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const { answer } = fake.edits;
      let full = true;
      fake.edits.answer = (command) => {
        if (full && command.cmd === 'apply_edit') throw new Error('No space left on the disk');
        return answer(command);
      };
      await open(page);
      await field(page).fill(THREE);
      await dialog(page).getByRole('checkbox', { name: /^github/ }).uncheck();
      await until(() => add(page, 'Add 2 servers').isEnabled(), 'two can be added');
      await add(page, 'Add 2 servers').click();
      await dialog(page).getByText('No space left on the disk').waitFor();
      assert.doesNotMatch(text(fake), /clock|search-mcp/);
      assert.equal(await dialog(page).getByText('No space left on the disk').count(), 1, 'said once');
      full = false;
      await until(() => add(page, 'Add 2 servers').isEnabled(), 'it can be tried again');
      await add(page, 'Add 2 servers').click();
      await dialog(page).waitFor({ state: 'detached' });
      assert.match(text(fake), /clock[^]*search-mcp/);
      assert.equal(edits(fake).length, 2);
    }));

  test('by hand: problems at the field, any file, times in its unit', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await open(page);
      await way(page, 'By hand');
      const name = dialog(page).getByLabel('Name', { exact: true });
      await name.fill('github');
      await dialog(page).getByText('already exists in ~/.xcsh/mcp.json').waitFor();
      assert.equal(await name.getAttribute('aria-invalid'), 'true');
      await name.fill('clock');
      await dialog(page).getByLabel('Command', { exact: true }).fill('clock-mcp');
      await dialog(page).getByLabel('Timeout').fill('45000');
      const to = dialog(page).getByLabel('To', { exact: true });
      assert.ok(await to.locator('option', { hasText: 'Set by an administrator' }).isDisabled(), 'a locked file says why');
      await to.selectOption('codex:user');
      await until(async () => (await dialog(page).getByLabel('Timeout').inputValue()) === '45', 'the same time in seconds');
      await to.selectOption('vscode:user');
      await until(async () => (await dialog(page).getByLabel('Timeout').inputValue()) === '45000', 'and in milliseconds again');
      await until(() => add(page).isEnabled(), 'it can be added');
      await name.press('Control+Enter');
      await dialog(page).waitFor({ state: 'detached' });
      assert.match(text(fake, 'vscode:user'), /"command": "clock-mcp",[^}]*"timeout": 45000/s);
      await page.getByText('Added clock in').waitFor();
    }));

  test('pasting on the list and dropping a link open it; in a field they do not', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await row(page, 'xcsh:user:github').click();
      await page.evaluate((line) => navigator.clipboard.writeText(line), LINE);
      await page.keyboard.press('Control+k');
      await page.keyboard.press('Control+v');
      assert.equal(await page.getByLabel('Find a server or tool').inputValue(), LINE);
      assert.equal(await dialog(page).count(), 0);
      await page.keyboard.press('Escape');
      await row(page, 'xcsh:user:github').focus();
      await page.keyboard.press('Control+v');
      await dialog(page).getByText('Recognised: A claude mcp add command').waitFor();
      await page.keyboard.press('Escape');
      await dialog(page).waitFor({ state: 'detached' });
      await page.evaluate(() => {
        const data = new DataTransfer();
        data.setData('text/uri-list', 'https://mcp.example.com/mcp');
        document.querySelector('[data-id]').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
      });
      await dialog(page).getByText('Recognised: A url').waitFor();
      assert.equal(await dialog(page).getByLabel('Name', { exact: true }).inputValue(), 'example');
    }));

  test('what nobody knows is said; Escape asks, writes nothing and gives the focus back', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await page.getByRole('button', { name: 'Add server' }).click();
      await field(page).fill('what is this');
      await dialog(page).getByText('Nothing in this text is known as a server').waitFor();
      await dialog(page).getByText('Paste the whole entry').waitFor();
      assert.ok(await add(page).isDisabled());
      await field(page).fill(LINE);
      await until(() => add(page).isEnabled(), 'it can be added');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog', { name: 'Discard what you typed?' }).getByRole('button', { name: 'Discard', exact: true }).click();
      await dialog(page).waitFor({ state: 'detached' });
      assert.equal(edits(fake).length, 0);
      assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Add server');
    }));

  test('it goes to the source that is looked at, or to the file whose menu was used', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await page.getByRole('navigation').getByRole('button', { name: /^VS Code/ }).click();
      await page.keyboard.press('Control+n');
      await way(page, 'By hand');
      const to = dialog(page).getByLabel('To', { exact: true });
      await until(async () => (await to.inputValue()) === 'vscode:user', 'its own file');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Files of Cursor' }).click();
      await page.getByRole('menuitem', { name: 'Add server here (project)' }).click();
      await way(page, 'By hand');
      await until(async () => (await to.inputValue()) === 'cursor:project', 'the file of the menu');
    }));

  test('an empty list offers it; it fits into small windows', () =>
    onPage(empty(), { size: { width: 640, height: 400 } }, async ({ page }) => {
      await page.getByRole('main').getByRole('button', { name: 'Add server' }).click();
      await inspect(page, 'add-low');
      await field(page).fill(LINE);
      await dialog(page).getByRole('figure', { name: 'New file ~/.xcsh/mcp.json' }).waitFor();
      await inspect(page, 'add-low-form');
      await page.setViewportSize({ width: 800, height: 700 });
      await inspect(page, 'add-narrow');
      await page.setViewportSize({ width: 380, height: 700 });
      await inspect(page, 'add-very-narrow');
    }));
});
