// Editing on the fake engine: form, file, conflicts, history, undo.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { drawing } from './fixture.mjs';
import { closeBrowser, inspect, onPage, openBrowser } from './page.mjs';

const GITHUB = 'xcsh:user:github';
const row = (page, id) => page.locator(`[data-id="${id}"] [data-row-main]`);
const asked = (fake, cmd) => fake.commands.filter((command) => command.cmd === cmd);
const text = (fake, source = 'xcsh:user') => fake.edits.sources.get(source).text;
const until = async (check, what) => {
  const end = Date.now() + 10_000;
  while (!(await check())) {
    assert.ok(Date.now() < end, `never: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
};
const SECRET = 'ghp_4f9aKq27Lm';
const noSecret = async (page) => {
  const seen = await page.evaluate(() => {
    const all = (root) => [root.textContent ?? '', ...[...root.querySelectorAll('*')].flatMap((one) => [one.value ?? '', ...(one.shadowRoot ? all(one.shadowRoot) : [])])];
    return all(document.body).join('\n');
  });
  assert.ok(!seen.includes(SECRET), 'the page holds no secret');
};

async function openForm(page, id = GITHUB) {
  await row(page, id).click();
  await page.getByRole('tab', { name: 'Config' }).click();
  await page.getByRole('form', { name: 'Config' }).getByText('Transport').first().waitFor();
}
async function openFile(page) {
  await row(page, GITHUB).click();
  await page.getByRole('tab', { name: 'Config' }).click();
  await page.getByRole('button', { name: 'File', exact: true }).click();
  await page.getByRole('textbox', { name: 'Text of ~/.xcsh/mcp.json' }).waitFor();
}
const editor = (page) => page.getByRole('textbox', { name: 'Text of ~/.xcsh/mcp.json' });
/** Puts the cursor at the end of the first line that has these words, and types. */
async function typeAt(page, words, typed) {
  await editor(page).locator('.cm-line', { hasText: words }).first().click();
  await page.keyboard.press('End');
  await page.keyboard.type(typed);
}

describe('the config of a server', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const theme of ['light', 'dark']) {
    test(`a form says what is wrong, what a value comes to, and what will change: ${theme}`, () =>
      onPage(drawing(), { theme }, async ({ page, fake }) => {
        await openForm(page);
        await page.getByText('Also in the file: icon').waitFor();
        await page.getByLabel('Value of X-Team').fill('${TEAM_ID:-core}');
        await page.getByLabel('Timeout').fill('30 seconds');
        await page.getByText('For 30 seconds write 30000').waitFor();
        await page.getByText('Fix the timeout before saving. Saving reconnects github only').waitFor();
        assert.match(await page.getByText('Resolves to').innerText(), /Resolves to core now: TEAM_ID is not set, the default is used/);
        assert.equal(await page.getByLabel('Timeout').getAttribute('aria-invalid'), 'true');
        assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
        await noSecret(page);
        await page.mouse.move(5, 795);
        await inspect(page, `config-form-${theme}`);
        await page.getByLabel('Timeout').fill('45000');
        await page.getByText('2 lines', { exact: true }).waitFor();
        await page.getByLabel('Timeout').press('Control+s');
        await page.getByText('Edited github in ~/.xcsh/mcp.json.').waitFor();
        assert.match(text(fake), /"timeout": 45000/);
        assert.match(text(fake), new RegExp(SECRET), 'the masked secret stays');
        assert.match(text(fake), /shared by the whole team/);
        const sent = asked(fake, 'apply_edit')[0].edit;
        assert.deepEqual(sent.form.headers[0].value, { text: 'Bearer ••••••••', keep: 'headers.Authorization' });
        assert.ok(await page.getByRole('button', { name: 'Discard' }).isDisabled());
      }));
  }

  test('a secret is replaced, and kept after all', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await openForm(page);
      await page.getByRole('button', { name: 'Replace: Value of Authorization' }).click();
      await until(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label') === 'Value of Authorization'), 'the focus is in the field');
      await page.keyboard.type('Bearer ${GITHUB_TOKEN}');
      await page.getByText('Not sent now: GITHUB_TOKEN is not set').waitFor();
      assert.deepEqual(asked(fake, 'preview_edit').at(-1).edit.form.headers[0].value, { text: 'Bearer ${GITHUB_TOKEN}', keep: null });
      await page.getByRole('button', { name: 'Keep the old one: Value of Authorization' }).click();
      await until(() => page.getByRole('button', { name: 'Discard' }).isDisabled(), 'nothing is changed');
    }));

  test('arguments are added, pasted, moved and removed by keyboard', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await openForm(page, 'xcsh:user:context7');
      const args = () => page.locator('.arg input').evaluateAll((all) => all.map((one) => one.value));
      assert.deepEqual(await args(), ['-y', '@upstash/context7-mcp']);
      await page.getByLabel('Argument 2', { exact: true }).press('Enter');
      await until(async () => (await args()).length === 3, 'a third row');
      await page.evaluate(() => navigator.clipboard.writeText('--api-key\ntwo words\n'));
      await page.keyboard.press('Control+v');
      await until(async () => (await args()).length === 4, 'two pasted');
      await page.keyboard.press('Alt+ArrowUp');
      assert.deepEqual(await args(), ['-y', '@upstash/context7-mcp', 'two words', '--api-key']);
      await page.getByRole('button', { name: 'Remove argument 4' }).click();
      await until(() => asked(fake, 'preview_edit').at(-1)?.edit.form.args.length === 3, 'previewed');
      await page.getByRole('button', { name: 'Add a variable' }).click();
      await page.evaluate(() => navigator.clipboard.writeText('A=1\nB="2"\n'));
      await page.keyboard.press('Control+v');
      await until(() => asked(fake, 'preview_edit').at(-1).edit.form.env.length === 2, 'two variables');
      await page.getByRole('button', { name: 'HTTP', exact: true }).click();
      await page.getByText('A url begins with').waitFor();
      await page.getByRole('button', { name: 'Command', exact: true }).click();
      assert.equal((await args()).length, 3, 'what was typed is still there');
    }));

  test('leaving asks', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await openForm(page);
      await page.getByLabel('Timeout').fill('45000');
      await row(page, 'claude-desktop:user:memory').click();
      await page.getByRole('dialog', { name: 'Save the changes to github?' }).waitFor();
      await inspect(page, 'config-leaving');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      assert.equal(await page.getByLabel('Timeout').inputValue(), '45000');
      await page.getByRole('tab', { name: 'Overview' }).click();
      await page.getByRole('button', { name: 'Save and go' }).click();
      await page.getByText('What is sent').waitFor();
      assert.match(text(fake), /45000/);
      await page.getByRole('tab', { name: 'Config' }).click();
      await page.getByLabel('Timeout').fill('1');
      await row(page, 'claude-desktop:user:memory').click();
      await page.getByRole('button', { name: 'Discard and go' }).click();
      await page.getByRole('heading', { name: 'memory' }).waitFor();
      assert.equal(asked(fake, 'apply_edit').length, 1);
    }));

  test('a shadowed one is read-only and leads to the one in use', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await openForm(page, 'cursor:user:github');
      await page.getByText('The definition of xcsh, user is in use').waitFor();
      assert.ok(await page.getByLabel('Command', { exact: true }).getAttribute('readonly') !== null);
      assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).count(), 0);
      await inspect(page, 'config-readonly');
      await page.getByRole('button', { name: 'Show the one in use' }).click();
      await page.getByLabel('URL').waitFor();
    }));

  for (const theme of ['light', 'dark']) {
    test(`two people change the same fields: ${theme}`, () =>
      onPage(drawing(), { theme }, async ({ page, fake }) => {
        await openForm(page);
        await page.getByLabel('Timeout').fill('45000');
        await page.getByLabel('Value of X-Team').fill('mine');
        await page.getByText('2 lines', { exact: true }).waitFor();
        fake.edits.touch('xcsh:user', (servers) => {
          servers.github.timeout = 60000;
          servers.github.headers['X-Team'] = 'theirs';
          servers.github.url = 'https://new.example/mcp';
          return servers;
        });
        await until(async () => page.getByRole('button', { name: 'Save', exact: true }).isEnabled(), 'can be saved');
        await page.getByRole('button', { name: 'Save', exact: true }).click();
        await page.getByText('~/.xcsh/mcp.json has changed meanwhile').waitFor();
        await page.getByRole('radio', { name: 'Yours: Timeout' }).check();
        assert.ok(await page.getByRole('button', { name: 'Save the choice' }).isDisabled(), 'not all are chosen');
        await page.getByRole('radio', { name: 'In the file now: X-Team' }).check();
        await inspect(page, `config-conflict-${theme}`);
        await page.getByRole('button', { name: 'Save the choice' }).click();
        await page.getByText('Edited github in').waitFor();
        const github = fake.edits.sources.get('xcsh:user').servers.github;
        assert.deepEqual([github.timeout, github.headers['X-Team'], github.url], [45000, 'theirs', 'https://new.example/mcp']);
        assert.equal(github.headers.Authorization, `Bearer ${SECRET}`);
      }));
  }

  for (const theme of ['light', 'dark']) {
    test(`the file is edited, checked and saved: ${theme}`, () =>
      onPage(drawing(), { theme }, async ({ page, fake }) => {
        await openFile(page);
        await editor(page).getByText('"github"').waitFor();
        await noSecret(page);
        await editor(page).locator('.cm-secret').first().waitFor();
        await editor(page).locator('.cm-lintRange-warning').first().waitFor();
        await typeAt(page, '"timeout": 30000', ',');
        await page.getByText('The file does not parse', { exact: false }).first().waitFor();
        await page.keyboard.press('Backspace');
        await page.keyboard.press('Backspace');
        await page.keyboard.press('Backspace');
        await page.keyboard.type('5,');
        await page.getByText('Saving reads ~/.xcsh/mcp.json again').waitFor();
        await page.getByRole('button', { name: 'Review and save…' }).click();
        await page.getByText('1 line', { exact: true }).waitFor();
        assert.equal(asked(fake, 'apply_edit').length, 0, 'nothing is written before it was shown');
        await noSecret(page);
        await inspect(page, `config-file-${theme}`);
        await page.getByRole('button', { name: 'Save to the file' }).click();
        await page.getByText('Edited ~/.xcsh/mcp.json in').waitFor();
        assert.match(text(fake), /"timeout": 30005,/);
        assert.match(text(fake), new RegExp(SECRET));
        await page.getByRole('button', { name: 'Show secrets' }).click();
        await editor(page).getByText(SECRET).waitFor();
        await page.getByRole('button', { name: 'Hide secrets' }).click();
        await noSecret(page);
      }));
  }

  test('keys are offered and described as the schema says', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await openFile(page);
      await typeAt(page, '"timeout": 30000', '\n"ena');
      // A click: for its first moments the list does not take Enter, which may be meant for the text.
      await page.locator('.cm-tooltip-autocomplete').getByText('"enabled"').click();
      await page.keyboard.type('fa');
      await page.locator('.cm-tooltip-autocomplete').getByText('false').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'github' }).waitFor();
      await editor(page).locator('.cm-line', { hasText: '"headers"' }).getByText('"headers"').hover();
      await page.getByText('Sent with each request').waitFor();
    }));

  for (const [button, expected] of [['Keep mine', 'github.com'], ['Take theirs', 'https://theirs.example'], ['Go on editing', 'https://theirs.example']]) {
    test(`a file that was changed meanwhile: ${button}`, () =>
      onPage(drawing(), {}, async ({ page, fake }) => {
        await openFile(page);
        await typeAt(page, '"timeout": 30000', '\n"note": "github.com",');
        await page.getByText('Saving reads').waitFor();
        fake.edits.touch('xcsh:user', (servers) => {
          servers.github.url = 'https://theirs.example';
          return servers;
        });
        await page.getByRole('button', { name: 'Review and save…' }).click();
        await page.getByRole('button', { name: 'Save to the file' }).click();
        await page.getByText('has changed meanwhile').waitFor();
        if (button === 'Keep mine') await inspect(page, 'config-file-conflict');
        await page.getByRole('button', { name: button }).click();
        if (button === 'Keep mine') await until(() => text(fake).includes('"note"'), 'written');
        if (button === 'Take theirs') await editor(page).getByText('https://theirs.example').waitFor();
        if (button === 'Go on editing') await editor(page).getByText('"note"').waitFor();
        assert.match(text(fake), new RegExp(expected));
      }));
  }

  test('the editor is not part of the start', () =>
    onPage(drawing(), {}, async ({ page }) => {
      const loaded = () => page.evaluate(() => performance.getEntriesByType('resource').map((one) => one.name).filter((name) => /editor/.test(name)).length);
      await openForm(page);
      assert.equal(await loaded(), 0);
      await page.getByRole('button', { name: 'File', exact: true }).click();
      await editor(page).waitFor();
      assert.ok((await loaded()) > 0);
    }));

  test('history: what was written, undone and done again', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const original = text(fake);
      await openForm(page);
      await page.getByLabel('Timeout').fill('45000');
      await until(async () => page.getByRole('button', { name: 'Save', exact: true }).isEnabled(), 'can be saved');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Edited github in').waitFor();
      await page.getByLabel('Timeout').press('Control+z');
      assert.equal(asked(fake, 'history').length, 0, 'in a field it is the field’s');
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('navigation').getByRole('button', { name: 'History' }).click();
      await page.getByText('1 change', { exact: true }).waitFor();
      await page.keyboard.press('Control+z');
      await page.getByText('Undid: Edited github in').waitFor();
      assert.equal(text(fake), original);
      await page.getByText('2 changes', { exact: true }).waitFor();
      await page.getByRole('status', { name: 'Messages' }).getByRole('button', { name: 'Redo' }).click();
      await until(() => text(fake).includes('45000'), 'done again');
      await page.getByText('3 changes', { exact: true }).waitFor();
      await page.keyboard.press('Control+z');
      await until(() => text(fake) === original, 'undone again');
      assert.equal(await page.getByRole('status', { name: 'Messages' }).getByRole('button', { name: /Undo|Redo/ }).count(), 1, 'only the last edit offers its way back');
      await page.keyboard.press('Control+Shift+z');
      await until(() => text(fake).includes('45000'), 'done once more');
      fake.edits.touch('xcsh:user', (servers) => ({ ...servers, other: { command: 'x', args: [] } }));
      await page.keyboard.press('Control+z');
      await page.getByText('cannot be undone').waitFor();
      await page.locator('.entry').last().click();
      await page.getByRole('region', { name: 'Changed lines of ~/.xcsh/mcp.json' }).getByText('"timeout": 45000').waitFor();
      await inspect(page, 'history');
    }));

  for (const [name, size] of [['narrow', { width: 800, height: 700 }], ['zoom', { width: 640, height: 400 }]]) {
    test(`in a ${name} window`, () =>
      onPage(drawing(), { size }, async ({ page }) => {
        await openForm(page);
        await page.getByLabel('Timeout').fill('x');
        await page.getByText('Milliseconds, a whole').waitFor();
        await inspect(page, `config-form-${name}`);
        await page.getByRole('button', { name: 'Discard' }).click();
        await page.getByRole('button', { name: 'File', exact: true }).click();
        await editor(page).waitFor();
        await inspect(page, `config-file-${name}`);
      }));
  }
});
