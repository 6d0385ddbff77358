// Servers are renamed, duplicated, copied, moved and removed: from the menus, by keyboard and from the form.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { drawing } from './fixture.mjs';
import { closeBrowser, inspect, onPage, openBrowser } from './page.mjs';

const GITHUB = 'xcsh:user:github';
const MEMORY = 'claude-desktop:user:memory';
const main = (page, id) => page.locator(`[data-id="${id}"] [data-row-main]`);
const text = (fake, source) => fake.edits.sources.get(source).text;
const writes = (fake) => fake.commands.filter((one) => one.cmd === 'apply_edit').map((one) => one.edit);
const button = (dialog, name) => dialog.getByRole('button', { name, exact: true });
const focused = (page) => page.evaluate(() => document.activeElement?.closest('[data-id]')?.dataset.id ?? document.activeElement?.tagName);

const until = async (check, what) => {
  const end = Date.now() + 10_000;
  while (!(await check())) {
    assert.ok(Date.now() < end, `never: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
};

/** Opens one entry of a server's menu, from its row or from its details. */
async function verb(page, from, id, name, entry) {
  if (from === 'details') {
    await main(page, id).click();
    await page.locator('.acts').getByRole('button', { name: `More for ${name}` }).click();
  } else await main(page, id).click({ button: 'right' });
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
  return page.getByRole('dialog');
}

describe('a server is changed', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const from of ['row', 'details']) {
    test(`the menu of the ${from} has each change, and Edit opens the form`, () =>
      onPage(drawing(), {}, async ({ page }) => {
        await verb(page, from, GITHUB, 'github', 'Edit');
        await page.getByRole('form', { name: 'Config' }).waitFor();
        await page.getByRole('textbox', { name: 'URL' }).waitFor();
        if (from === 'row') await main(page, GITHUB).click({ button: 'right' });
        else await page.locator('.acts').getByRole('button', { name: 'More for github' }).click();
        const all = (await page.getByRole('menuitem').allTextContents()).map((one) => one.trim());
        assert.deepEqual(all.slice(0, 6), ['Edit', 'Rename…', 'Duplicate…', 'Copy to…', 'Move to…', 'Remove…']);
      }));

    test(`renamed from the ${from}: the name is checked at its field, the lines are shown first`, () =>
      onPage(drawing(), {}, async ({ page, fake }) => {
        const dialog = await verb(page, from, GITHUB, 'github', 'Rename…');
        const name = dialog.getByRole('textbox', { name: 'Name' });
        assert.equal(await name.inputValue(), 'github');
        assert.ok(await name.evaluate((field) => field === document.activeElement), 'the name has the focus');
        assert.ok(await button(dialog, 'Rename').isDisabled(), 'the same name is no change');
        await name.fill('context7');
        await dialog.getByText('Server "context7" already exists in').waitFor();
        assert.equal(await name.getAttribute('aria-invalid'), 'true');
        await dialog.getByText('Change to').waitFor({ state: 'detached' });
        const told = await name.getAttribute('aria-describedby');
        assert.match(await page.locator(`[id="${told}"]`).innerText(), /already exists in/, 'the error belongs to the field');
        assert.ok(await button(dialog, 'Rename').isDisabled());
        if (from === 'details') await inspect(page, 'rename-taken');
        await name.fill('github-work');
        await dialog.getByText('"github-work"').first().waitFor();
        assert.deepEqual(writes(fake), [], 'nothing is written before');
        await name.press('Enter');
        await dialog.waitFor({ state: 'detached' });
        assert.deepEqual(writes(fake), [{ op: 'rename', id: GITHUB, name: 'github-work' }]);
        assert.match(text(fake, 'xcsh:user'), /"github-work": \{/);
        await page.getByRole('heading', { name: 'github-work' }).waitFor();
        await page.getByRole('status').getByText(/^Renamed github to github-work/).waitFor();
        await page.getByRole('button', { name: 'Undo', exact: true }).click();
        await page.getByText(/^Undid/).waitFor();
        assert.match(text(fake, 'xcsh:user'), /"github": \{/);
      }));
  }

  test('a duplicate has a free name, and is selected', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const dialog = await verb(page, 'row', MEMORY, 'memory', 'Duplicate…');
      assert.equal(await dialog.getByRole('textbox', { name: 'Name' }).inputValue(), 'memory-2');
      await dialog.getByText('"memory-2"').first().waitFor();
      await button(dialog, 'Duplicate').click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'memory-2' }).waitFor();
      assert.deepEqual(writes(fake), [{ op: 'duplicate', id: MEMORY, name: 'memory-2' }]);
      assert.equal(await main(page, 'claude-desktop:user:memory-2').getAttribute('aria-current'), 'true');
    }));

  for (const theme of ['light', 'dark']) {
    test(`a copy says what the other tool cannot express, and where it cannot go: ${theme}`, () =>
      onPage(drawing(), { theme }, async ({ page, fake }) => {
        const before = text(fake, 'xcsh:user');
        const dialog = await verb(page, 'details', GITHUB, 'github', 'Copy to…');
        const to = dialog.getByRole('combobox', { name: 'To' });
        const shut = await to.locator('option:disabled').allTextContents();
        assert.deepEqual(shut.map((one) => one.trim()), ['xcsh, user: ~/.xcsh/mcp.json — it is here already', 'Codex, managed: /etc/codex/config.toml (new file) — Set by an administrator.']);
        await to.selectOption('cursor:project');
        await dialog.getByText('Cursor has no timeout: it is left out').waitFor();
        await inspect(page, `copy-${theme}`);
        await button(dialog, 'Copy').click();
        await dialog.waitFor({ state: 'detached' });
        assert.deepEqual(writes(fake), [{ op: 'copy', id: GITHUB, source: 'cursor:project', name: null, keep: true }]);
        assert.equal(text(fake, 'xcsh:user'), before, 'the first stays as it is');
        assert.match(text(fake, 'cursor:project'), /githubcopilot/);
        await page.getByRole('status').getByText('Cursor has no timeout').waitFor();
        await page.getByRole('heading', { name: 'github', exact: true }).waitFor();
        assert.equal(await main(page, GITHUB).getAttribute('aria-current'), 'true', 'it is still the first that is looked at');
      }));

    test(`a move shows both files; the removal says who takes over: ${theme}`, () =>
      onPage(drawing(), { theme }, async ({ page, fake }) => {
        let dialog = await verb(page, 'row', MEMORY, 'memory', 'Move to…');
        await dialog.getByRole('combobox', { name: 'To' }).selectOption('claude-code:user');
        await dialog.getByText('~/.config/Claude/claude_desktop_config.json', { exact: true }).waitFor();
        await inspect(page, `move-${theme}`);
        await button(dialog, 'Move').click();
        await dialog.waitFor({ state: 'detached' });
        assert.deepEqual(writes(fake), [{ op: 'copy', id: MEMORY, source: 'claude-code:user', name: null, keep: false }]);
        assert.doesNotMatch(text(fake, 'claude-desktop:user'), /server-memory/);
        await main(page, MEMORY).waitFor({ state: 'detached' });
        await page.locator('[data-id="claude-code:user:memory"] [aria-current=true]').waitFor();

        dialog = await verb(page, 'details', GITHUB, 'github', 'Remove…');
        await dialog.getByText('of Cursor, user is in use from then on').waitFor();
        await inspect(page, `remove-${theme}`);
        await button(dialog, 'Remove').click();
        await dialog.waitFor({ state: 'detached' });
        await main(page, GITHUB).waitFor({ state: 'detached' });
        assert.doesNotMatch(text(fake, 'xcsh:user'), /githubcopilot/);
        await page.locator('[data-id="cursor:user:github"]:not(.dim)').waitFor();
      }));
  }

  test('F2 renames and Delete removes in the list; Escape goes back to the row, and the focus stays in the list', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await main(page, MEMORY).click();
      // Without a selection the keys are for the row with the focus all the same.
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { name: 'memory' }).waitFor({ state: 'detached' });
      await page.keyboard.press('F2');
      const dialog = page.getByRole('dialog');
      await page.getByRole('dialog', { name: 'Rename memory' }).waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      assert.equal(await focused(page), MEMORY);
      const ids = () => page.locator('[data-id]').evaluateAll((all) => all.map((one) => one.dataset.id));
      const next = (await ids())[(await ids()).indexOf(MEMORY) + 1];
      await page.keyboard.press('Delete');
      await page.getByRole('dialog', { name: 'Remove memory' }).getByText('"memory"').first().waitFor();
      assert.deepEqual(writes(fake), []);
      await button(dialog, 'Remove').click();
      await main(page, MEMORY).waitFor({ state: 'detached' });
      assert.deepEqual(writes(fake), [{ op: 'remove', id: MEMORY }]);
      await until(async () => (await focused(page)) === next, 'the row that took its place has the focus');
    }));

  test('the keys mean nothing where somebody types', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await main(page, MEMORY).click();
      await page.keyboard.press('Control+k');
      await page.keyboard.type('mem');
      for (const key of ['F2', 'Delete']) await page.keyboard.press(key);
      assert.equal(await page.getByRole('dialog').count(), 0);
    }));

  test('a refusal is said in the dialog, and nothing is lost', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const dialog = await verb(page, 'row', MEMORY, 'memory', 'Rename…');
      const name = dialog.getByRole('textbox', { name: 'Name' });
      await name.fill('notes');
      await dialog.getByText('"notes"').first().waitFor();
      // Another program takes the name between the preview and the click.
      fake.edits.touch('claude-desktop:user', (servers) => ({ ...servers, notes: { command: 'x', args: [] } }), false);
      await button(dialog, 'Rename').click();
      await dialog.getByText('Server "notes" already exists in').waitFor();
      assert.equal(await name.inputValue(), 'notes');
      assert.match(text(fake, 'claude-desktop:user'), /"memory"/);
    }));
});

describe('the name in the form', () => {
  before(openBrowser);
  after(closeBrowser);

  const open = async (page, id = GITHUB) => {
    await main(page, id).click();
    await page.getByRole('tab', { name: 'Config' }).click();
  };

  for (const theme of ['light', 'dark']) {
    test(`has its dialog: ${theme}`, () =>
      onPage(drawing(), { theme }, async ({ page, fake }) => {
        await open(page);
        await page.getByRole('textbox', { name: 'URL' }).waitFor();
        await inspect(page, `form-name-${theme}`);
        await page.getByRole('button', { name: 'Rename github' }).click();
        const dialog = page.getByRole('dialog', { name: 'Rename github' });
        await dialog.getByRole('textbox', { name: 'Name' }).fill('hub');
        await dialog.getByText('"hub"').first().waitFor();
        await inspect(page, `rename-${theme}`);
        await button(dialog, 'Rename').click();
        await dialog.waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Rename hub' }).waitFor();
        assert.deepEqual(writes(fake), [{ op: 'rename', id: GITHUB, name: 'hub' }]);
      }));
  }

  test('is fixed where the file cannot be written', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await open(page, 'cursor:user:github');
      await page.getByRole('button', { name: 'Show the one in use' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Rename github' }).count(), 0);
    }));

  for (const from of ['form', 'menu']) {
    test(`what is typed is asked about before a rename from the ${from}`, () =>
      onPage(drawing(), {}, async ({ page, fake }) => {
        await open(page);
        const url = page.getByRole('textbox', { name: 'URL' });
        const rename = async () => {
          if (from === 'form') return page.getByRole('button', { name: 'Rename github' }).click();
          await page.locator('.acts').getByRole('button', { name: 'More for github' }).click();
          return page.getByRole('menuitem', { name: 'Rename…' }).click();
        };
        await url.fill('https://other.example/mcp');
        await rename();
        await page.getByRole('button', { name: 'Discard and go' }).click();
        const name = page.getByRole('dialog', { name: 'Rename github' }).getByRole('textbox', { name: 'Name' });
        await until(() => name.evaluate((field) => field === document.activeElement), 'the name has the focus');
        await page.keyboard.press('Escape');
        assert.equal(await url.inputValue(), 'https://api.githubcopilot.com/mcp/', 'what was typed is gone, as was said');
        // The form goes on watching over what is typed.
        await url.fill('https://third.example/mcp');
        await main(page, MEMORY).click();
        await page.getByRole('dialog', { name: 'Save the changes to github?' }).getByRole('button', { name: 'Go on editing' }).click();
        await rename();
        await page.getByRole('button', { name: 'Save and go' }).click();
        await page.getByRole('dialog', { name: 'Rename github' }).waitFor();
        assert.match(text(fake, 'xcsh:user'), /third\.example/);
      }));
  }
});
