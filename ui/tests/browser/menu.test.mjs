// What can be done with a server from the menu of its row, the detail's menu and the keyboard.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { drawing } from './fixture.mjs';
import { closeBrowser, inspect, onPage, openBrowser } from './page.mjs';

const GITHUB = 'xcsh:user:github';
const row = (page, id) => page.locator(`[data-id="${id}"] [data-row-main]`);
const menu = (page, name = 'github') => page.getByRole('menu', { name: `More for ${name}` });
const dialog = (page, name) => page.getByRole('dialog', { name });
const edits = (fake) => fake.commands.filter((command) => command.cmd === 'apply_edit').map((command) => command.edit);
const text = (fake, source = 'xcsh:user') => fake.edits.sources.get(source).text;
const focused = (page) => page.evaluate(() => document.activeElement?.closest('[data-id]')?.dataset.id ?? null);
const until = async (check, what) => {
  const end = Date.now() + 10_000;
  while (!(await check())) {
    assert.ok(Date.now() < end, `never: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
};
const choose = async (page, id, verb) => {
  await row(page, id).click({ button: 'right' });
  await page.getByRole('menuitem', { name: verb }).click();
};

describe('the menu of a server', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const theme of ['light', 'dark']) {
    test(`by its button, the right button and the keyboard: ${theme}`, () =>
      onPage(drawing(), { theme }, async ({ page }) => {
        await row(page, GITHUB).hover();
        await page.locator(`[data-id="${GITHUB}"]`).getByRole('button', { name: 'More for github' }).click();
        assert.deepEqual((await menu(page).getByRole('menuitem').allTextContents()).map((one) => one.trim()), ['Edit', 'Rename…', 'Duplicate…', 'Copy to…', 'Move to…', 'Remove…']);
        await inspect(page, `menu-${theme}`);
        await page.keyboard.press('ArrowDown');
        assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'Rename…');
        await page.keyboard.press('Escape');
        await menu(page).waitFor({ state: 'detached' });
        assert.equal(await focused(page), GITHUB, 'the focus is back on the row');
        await page.keyboard.press('Shift+F10');
        await menu(page).waitFor();
        await row(page, 'vscode:project:sentry').click({ button: 'right', position: { x: 200, y: 20 } });
        await menu(page, 'sentry').waitFor();
        assert.equal(await menu(page).count(), 0, 'one menu at a time');
        await page.mouse.click(900, 700);
        await menu(page, 'sentry').waitFor({ state: 'detached' });
      }));
  }

  test('the menu of the last row stays in the window', () =>
    onPage(drawing(), { size: { width: 640, height: 500 } }, async ({ page }) => {
      await row(page, 'cursor:user:github').scrollIntoViewIfNeeded();
      await row(page, 'cursor:user:github').click({ button: 'right' });
      const box = await menu(page).boundingBox();
      assert.ok(box.y >= 0 && box.y + box.height <= 500, JSON.stringify(box));
      await inspect(page, 'menu-low');
    }));

  test('F2 renames: the name is checked while it is typed, and Undo takes it back', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await row(page, GITHUB).focus();
      await row(page, GITHUB).click();
      await page.keyboard.press('F2');
      const name = dialog(page, 'Rename github').getByLabel('Name');
      await name.fill('context7');
      await dialog(page, 'Rename github').getByText('Server "context7" already exists').waitFor();
      assert.equal(await name.getAttribute('aria-invalid'), 'true');
      await inspect(page, 'rename-taken');
      await name.fill('hub');
      await dialog(page, 'Rename github').getByText('"hub": {').waitFor();
      await name.press('Enter');
      await dialog(page, 'Rename github').waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'hub' }).waitFor();
      assert.match(text(fake), /"hub": \{\s*"type": "http"/);
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await row(page, GITHUB).waitFor();
      assert.match(text(fake), /"github": \{\s*"type": "http"/);
    }));

  test('Delete shows what goes, asks, and Undo brings it back', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await row(page, GITHUB).click();
      await page.keyboard.press('Delete');
      const box = dialog(page, 'Remove github');
      await box.getByRole('figure', { name: 'Change to ~/.xcsh/mcp.json' }).waitFor();
      await inspect(page, 'remove');
      await page.keyboard.press('Escape');
      await box.waitFor({ state: 'detached' });
      assert.deepEqual([edits(fake).length, await focused(page)], [0, GITHUB]);
      await page.keyboard.press('Delete');
      await box.getByRole('button', { name: 'Remove', exact: true }).click();
      await row(page, GITHUB).waitFor({ state: 'detached' });
      assert.doesNotMatch(text(fake), /"github"/);
      await page.getByRole('button', { name: 'Undo', exact: true }).click();
      await row(page, GITHUB).waitFor();
      assert.match(text(fake), /shared by the whole team/);
    }));

  test('copying says what the other tool cannot express', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      // Its own file is no place to go to, and neither is a file that is not ours to write.
      fake.edits.touch('cursor:user', ({ github, ...rest }) => rest);
      await choose(page, GITHUB, 'Copy to…');
      const box = dialog(page, 'Copy github to another application');
      const to = box.getByLabel('To', { exact: true });
      assert.ok(await to.locator('option', { hasText: 'it is here already' }).isDisabled());
      assert.ok(await to.locator('option', { hasText: 'Set by an administrator' }).isDisabled());
      await to.selectOption('cursor:user');
      await box.getByText('Cursor has no timeout: it is left out').waitFor();
      await inspect(page, 'copy');
      await box.getByRole('button', { name: 'Copy', exact: true }).click();
      await box.waitFor({ state: 'detached' });
      assert.deepEqual(edits(fake), [{ op: 'copy', id: GITHUB, source: 'cursor:user', name: null, keep: true }]);
      assert.match(text(fake), /"github"/);
    }));

  test('moving shows both files', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await choose(page, 'xcsh:user:context7', 'Move to…');
      const box = dialog(page, 'Move context7 to another application');
      await box.getByLabel('To', { exact: true }).selectOption('vscode:user');
      await until(async () => (await box.getByRole('figure').count()) === 2, 'two files');
      await inspect(page, 'move');
      await box.getByRole('button', { name: 'Move', exact: true }).click();
      await row(page, 'vscode:user:context7').waitFor();
      await row(page, 'xcsh:user:context7').waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: 'context7' }).waitFor();
      assert.doesNotMatch(text(fake), /context7-mcp/);
    }));

  test('a duplicate begins with a name that is free', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const [first] = fake.snapshot.servers;
      fake.setRow({ ...first, name: 'github-2' });
      await page.getByText('github-2').first().waitFor();
      // The preview waits until it is let go.
      let go;
      const held = new Promise((done) => (go = done));
      await page.route('**/rpc', async (route) => {
        if (route.request().postDataJSON().cmd === 'preview_edit') await held;
        await route.continue();
      });
      await choose(page, GITHUB, 'Duplicate…');
      assert.equal(await dialog(page, 'Duplicate github').getByLabel('Name').inputValue(), 'github-3');
      await page.keyboard.press('Enter');
      assert.equal(edits(fake).length, 0, 'not before its preview');
      go();
      await dialog(page, 'Duplicate github').getByRole('button', { name: 'Duplicate' }).click();
      await row(page, 'xcsh:user:github-3').waitFor();
    }));

  test('the detail has the same menu, and Edit opens the form', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await choose(page, 'xcsh:user:context7', 'Edit');
      await page.getByRole('tab', { name: 'Config', selected: true }).waitFor();
      await page.getByRole('heading', { name: 'context7' }).waitFor();
      await page.locator('.detail-column').getByRole('button', { name: 'More for context7' }).click();
      await page.getByRole('menuitem', { name: 'Remove…' }).click();
      await dialog(page, 'Remove context7').waitFor();
    }));
});
