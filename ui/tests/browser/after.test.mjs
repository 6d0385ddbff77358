// After an edit: where the selection and the keyboard are, what is asked before something typed is lost, what is said.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { drawing } from './fixture.mjs';
import { closeBrowser, inspect, onPage, openBrowser } from './page.mjs';

const GITHUB = 'xcsh:user:github';
const MEMORY = 'claude-desktop:user:memory';
const row = (page, id) => page.locator(`[data-id="${id}"] [data-row-main]`);
const text = (fake, source = 'xcsh:user') => fake.edits.sources.get(source).text;
const writes = (fake) => fake.commands.filter((one) => one.cmd === 'apply_edit').map((one) => one.edit);
const button = (page, name) => page.getByRole('button', { name, exact: true });
const focused = (page) => page.evaluate(() => document.activeElement?.closest('[data-id]')?.dataset.id ?? document.activeElement?.getAttribute('aria-label') ?? (document.activeElement === document.body ? 'nothing' : document.activeElement?.textContent?.trim()));
const messages = (page) => page.getByRole('status', { name: 'Messages' });
const until = async (check, what) => {
  const end = Date.now() + 10_000;
  while (!(await check())) {
    assert.ok(Date.now() < end, `never: ${typeof what === 'string' ? what : await what()}`);
    await new Promise((done) => setTimeout(done, 30));
  }
};
const has = (page, id) => until(async () => (await focused(page)) === id, async () => `the keyboard is on ${id}, it is on ${await focused(page)}`);
const nowhere = (page) => page.evaluate(() => document.activeElement === document.body);

async function verb(page, from, id, name, entry) {
  if (from === 'details') {
    await row(page, id).click();
    await page.locator('.acts').getByRole('button', { name: `More for ${name}` }).click();
  } else await row(page, id).click({ button: 'right' });
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
  return page.getByRole('dialog');
}
async function openForm(page, id = GITHUB) {
  await row(page, id).click();
  await page.getByRole('tab', { name: 'Config' }).click();
  await page.getByRole('form', { name: 'Config' }).getByText('Transport').first().waitFor();
}
const editor = (page) => page.getByRole('textbox', { name: 'Text of ~/.xcsh/mcp.json' });
async function openFile(page) {
  await row(page, GITHUB).click();
  await page.getByRole('tab', { name: 'Config' }).click();
  await button(page, 'File').click();
  await editor(page).waitFor();
}
async function typeAt(page, words, typed) {
  await editor(page).locator('.cm-line', { hasText: words }).first().click();
  await page.keyboard.press('End');
  await page.keyboard.type(typed);
}
/** Selected, under the keyboard, and in sight. */
async function stands(page, id) {
  await has(page, id);
  assert.equal(await row(page, id).getAttribute('aria-current'), 'true', 'it is selected');
  const inside = await row(page, id).evaluate((element) => {
    const [mine, frame] = [element.getBoundingClientRect(), element.closest('.scroller').getBoundingClientRect()];
    return mine.top >= frame.top - 1 && mine.bottom <= frame.bottom + 1;
  });
  assert.ok(inside, 'it is in sight');
}

describe('a server that is changed goes on being looked at', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const from of ['row', 'details']) {
    test(`renamed from the ${from}, and back again`, () =>
      onPage(drawing(), { size: { width: 1280, height: 480 } }, async ({ page }) => {
        const dialog = await verb(page, from, GITHUB, 'github', 'Rename…');
        await dialog.getByRole('textbox', { name: 'Name' }).fill('zebra');
        await dialog.getByText('"zebra"').first().waitFor();
        await page.keyboard.press('Enter');
        await dialog.waitFor({ state: 'detached' });
        await stands(page, 'xcsh:user:zebra');
        await page.getByRole('heading', { name: 'zebra' }).waitFor();
        await messages(page).getByRole('button', { name: 'Undo' }).focus();
        await page.keyboard.press('Enter');
        await stands(page, GITHUB);
        await page.getByRole('heading', { name: 'github' }).waitFor();
      }));
  }

  test('found by a search that it no longer fits, it is still shown', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await page.getByLabel('Find a server or tool').fill('memory');
      const dialog = await verb(page, 'row', MEMORY, 'memory', 'Rename…');
      await dialog.getByRole('textbox', { name: 'Name' }).fill('notes');
      await dialog.getByText('"notes"').first().waitFor();
      await page.keyboard.press('Enter');
      await stands(page, 'claude-desktop:user:notes');
    }));

  test('duplicated', () =>
    onPage(drawing(), { size: { width: 1280, height: 480 } }, async ({ page }) => {
      const dialog = await verb(page, 'row', GITHUB, 'github', 'Duplicate…');
      await dialog.getByText('"github-2"').first().waitFor();
      await button(dialog, 'Duplicate').click();
      await stands(page, 'xcsh:user:github-2');
    }));

  test('moved to an application that is not looked at', () =>
    onPage(drawing(), { size: { width: 1280, height: 480 } }, async ({ page }) => {
      await page.getByRole('navigation').getByRole('button', { name: /^Claude Desktop/ }).click();
      const dialog = await verb(page, 'row', MEMORY, 'memory', 'Move to…');
      await dialog.getByRole('combobox', { name: 'To' }).selectOption('claude-code:user');
      await dialog.getByRole('figure').nth(1).waitFor();
      await button(dialog, 'Move').click();
      await stands(page, 'claude-code:user:memory');
    }));

  for (const from of ['row', 'details']) {
    test(`removed from the ${from}: the next one takes its place, and Undo brings it back`, () =>
      onPage(drawing(), {}, async ({ page }) => {
        await row(page, MEMORY).waitFor();
        const ids = await page.locator('[data-id]').evaluateAll((all) => all.map((one) => one.dataset.id));
        await row(page, MEMORY).click();
        const dialog = await verb(page, from, MEMORY, 'memory', 'Remove…');
        await dialog.getByText('"memory"').first().waitFor();
        await button(dialog, 'Remove').click();
        await row(page, MEMORY).waitFor({ state: 'detached' });
        await stands(page, ids[ids.indexOf(MEMORY) + 1]);
        await messages(page).getByRole('button', { name: 'Undo' }).focus();
        await page.keyboard.press('Enter');
        await stands(page, MEMORY);
      }));
  }

  test('in a narrow window the details have the keyboard', () =>
    onPage(drawing(), { size: { width: 700, height: 700 } }, async ({ page }) => {
      const dialog = await verb(page, 'details', GITHUB, 'github', 'Rename…');
      await dialog.getByRole('textbox', { name: 'Name' }).fill('hub');
      await dialog.getByText('"hub"').first().waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'hub', exact: true }).waitFor();
      await until(() => page.evaluate(() => document.activeElement.id === 'detail'), 'the heading has the keyboard');
    }));
});

describe('the keyboard stays at work', () => {
  before(openBrowser);
  after(closeBrowser);

  test('on Save after saving, on Discard after discarding', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await openForm(page);
      for (const [name, timeout] of [['Save', '45000'], ['Discard', '1']]) {
        await page.getByLabel('Timeout').fill(timeout);
        await until(() => button(page, 'Save').isEnabled(), 'it can be saved');
        await button(page, name).focus();
        await page.keyboard.press('Enter');
        await until(() => button(page, 'Discard').isDisabled(), 'nothing is left to be saved');
        await has(page, name);
      }
      assert.match(text(fake), /45000/);
      assert.equal(writes(fake).length, 1, 'a button that is off does nothing');
      await page.keyboard.press('Enter');
      await button(page, 'Save').focus();
      await page.keyboard.press('Enter');
      assert.equal(writes(fake).length, 1);
    }));

  test('in the text after it was saved or discarded', () =>
    onPage(drawing(), {}, async ({ page }) => {
      const inEditor = () => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.classList.contains('cm-content') === true);
      await openFile(page);
      await typeAt(page, '"timeout": 30000', '\n"note": "x",');
      await button(page, 'Discard').click();
      await until(inEditor, 'the text has the keyboard again');
      await typeAt(page, '"timeout": 30000', '\n"note": "x",');
      await page.getByText('Saving reads').waitFor();
      await page.keyboard.press('Control+s');
      await has(page, 'Save to the file');
      await page.keyboard.press('Enter');
      await messages(page).getByText('Edited').waitFor();
      await until(inEditor, 'the text has the keyboard after saving');
    }));

  test('on the next finding after one was put right', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const [first] = fake.snapshot.findings;
      const fixes = [{ title: 'Put it right' }];
      fake.snapshot.findings = [1, 2].map((n) => ({ ...first, id: `f${n}`, line: n, title: `Finding ${n}`, fixes }));
      fake.edits.cures.set('f1', [{ source: 'xcsh:user', title: 'Put it right', change: (all) => all.replace('30000', '1') }]);
      await page.reload();
      await page.getByRole('navigation').getByRole('button', { name: /^Findings/ }).click();
      await page.getByRole('region', { name: 'Findings' }).getByRole('button', { name: 'Put it right' }).first().focus();
      await page.keyboard.press('Enter');
      await button(page.getByRole('dialog'), 'Apply').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      fake.snapshot.findings = fake.snapshot.findings.slice(1);
      fake.send({ kind: 'findings', findings: fake.snapshot.findings });
      await page.getByText('Finding 1').first().waitFor({ state: 'detached' });
      await has(page, 'Put it right');
      assert.match(await page.evaluate(() => document.activeElement.closest('li').textContent), /Finding 2/);
    }));

  test('on a row after a file was restored, and after an undo in the history', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const path = '/home/ana/.cursor/mcp.json';
      fake.edits.lost.set(path, text(fake, 'cursor:user'));
      fake.edits.touch('cursor:user', () => ({}));
      fake.snapshot.overall.alerts = [{ path, display_path: '~/.cursor/mcp.json', what: 'lost 2 servers', servers: ['filesystem', 'github'], at: Date.now(), restorable: true, answered: false }];
      fake.send({ kind: 'overall', overall: fake.snapshot.overall });
      await button(page, 'Restore…').focus();
      await page.keyboard.press('Enter');
      await button(page.getByRole('dialog'), 'Restore').click();
      await page.getByText('lost 2 servers').waitFor({ state: 'detached' });
      await until(() => page.evaluate(() => document.activeElement.matches('[data-row-main]')), 'a row has the keyboard');
      await page.getByRole('navigation').getByRole('button', { name: 'History' }).click();
      await page.getByRole('button', { name: /^Undo: Restored/ }).focus();
      await page.keyboard.press('Enter');
      await page.getByText('2 changes', { exact: true }).waitFor();
      assert.equal(await nowhere(page), false);
    }));

  test('where it was when a message ends', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await row(page, GITHUB).click();
      await page.locator('.acts').getByRole('button', { name: 'More for github' }).click();
      await page.getByRole('menuitem', { name: 'Copy name' }).click();
      await button(messages(page), 'Dismiss').focus();
      await page.keyboard.press('Enter');
      await has(page, 'More for github');
    }));
});

describe('what was typed', () => {
  before(openBrowser);
  after(closeBrowser);

  test('and cannot be saved is not offered to be saved', () =>
    onPage(drawing(), {}, async ({ page }) => {
      await openForm(page);
      await page.getByLabel('Timeout').fill('soon');
      await page.getByText('Fix the timeout before saving').waitFor();
      await row(page, MEMORY).click();
      const dialog = page.getByRole('dialog', { name: 'The changes to github cannot be saved yet' });
      await dialog.getByText('Fix the timeout before saving. Milliseconds, a whole number from 1.').waitFor();
      assert.equal(await button(dialog, 'Save and go').count(), 0);
      assert.equal(await focused(page), 'Go on editing', 'what loses nothing has the keyboard');
      await inspect(page, 'leaving-invalid');
      await page.keyboard.press('Enter');
      assert.equal(await page.getByLabel('Timeout').inputValue(), 'soon');
      await button(page, 'Discard').click();
      await button(page, 'File').click();
      await editor(page).waitFor();
      await typeAt(page, '"timeout": 30000', ',');
      await page.getByText('Put the file right before saving').waitFor();
      await row(page, MEMORY).click();
      await page.getByRole('dialog').getByText('The file does not parse').waitFor();
      assert.equal(await button(page, 'Save and go').count(), 0);
      await button(page, 'Discard and go').click();
      await page.getByRole('heading', { name: 'memory' }).waitFor();
    }));

  test('is saved for good by “Keep mine”', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await openFile(page);
      await typeAt(page, '"timeout": 30000', '\n"note": "x",');
      await page.getByText('Saving reads').waitFor();
      fake.edits.touch('xcsh:user', (servers) => ({ ...servers, other: { command: 'x', args: [] } }), false);
      await button(page, 'Review and save…').click();
      await button(page, 'Save to the file').click();
      await page.getByText('has changed meanwhile').waitFor();
      // The news of the write arrives before its answer, and what is asked then is answered last.
      const { answer } = fake.edits;
      fake.edits.answer = (command) => (command.cmd === 'file_text' ? new Promise((done) => setTimeout(() => done(answer(command)), 100)) : answer(command));
      await button(page, 'Keep mine').click();
      await messages(page).getByText('Edited').waitFor();
      await until(async () => (await button(page, 'Review and save…').count()) + (await button(page, 'Save to the file').count()) + (await button(page, 'Discard').count()) === 0, 'nothing is left to be saved');
      assert.match(text(fake), /"note"/);
      await row(page, MEMORY).click();
      await page.getByRole('heading', { name: 'memory' }).waitFor();
      assert.equal(await page.getByRole('dialog').count(), 0, 'nobody is asked');
    }));

  test('into the form of a new server is asked about before it is thrown away', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const add = page.getByRole('dialog', { name: 'Add server' });
      const ask = page.getByRole('dialog', { name: 'Discard what you typed?' });
      await row(page, GITHUB).waitFor();
      await button(page, 'Add server').click();
      await button(add, 'By hand').click();
      await page.keyboard.press('Escape');
      await add.waitFor({ state: 'detached' });
      await button(page, 'Add server').click();
      await button(add, 'By hand').click();
      await add.getByLabel('Command', { exact: true }).fill('clock-mcp');
      await page.mouse.click(5, 400);
      assert.ok(await add.isVisible(), 'a click beside it is no answer');
      // However often, and without anything between.
      for (let n = 0; n < 2; n += 1) {
        await page.keyboard.press('Escape');
        await ask.waitFor();
        if (n === 0) await inspect(page, 'add-discard');
        await page.keyboard.press('Escape');
        await ask.waitFor({ state: 'detached' });
        assert.equal(await add.getByLabel('Command', { exact: true }).inputValue(), 'clock-mcp');
      }
      await page.keyboard.press('Escape');
      await button(ask, 'Discard').click();
      await add.waitFor({ state: 'detached' });
      assert.equal(writes(fake).length, 0);
      await has(page, 'Add server');
    }));

  test('is not called wrong before it was typed', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const add = page.getByRole('dialog', { name: 'Add server' });
      const name = add.getByLabel('Name', { exact: true });
      const wrong = () => add.locator('[aria-invalid="true"]').count();
      await row(page, GITHUB).waitFor();
      await button(page, 'Add server').click();
      await button(add, 'By hand').click();
      await add.getByLabel('Command', { exact: true }).fill('clock-mcp');
      await until(() => fake.commands.some((one) => one.cmd === 'preview_edit'), 'it is asked about');
      await add.locator('.preview[aria-busy="false"]').waitFor({ state: 'attached' });
      assert.equal(await wrong(), 0, 'the name was not typed yet');
      assert.equal(await add.getByText('A server needs a name').count(), 0);
      await name.focus();
      await add.getByLabel('Command', { exact: true }).focus();
      await add.getByText('A server needs a name').waitFor();
      assert.equal(await name.getAttribute('aria-invalid'), 'true', 'left empty');
      await page.keyboard.press('Escape');
      await button(page, 'Discard').last().click();
      await button(page, 'Add server').click();
      await button(add, 'By hand').click();
      await add.getByLabel('Command', { exact: true }).fill('clock-mcp');
      await page.keyboard.press('Control+Enter');
      await add.getByText('A server needs a name').waitFor();
      await until(() => name.evaluate((field) => field === document.activeElement), 'what is wrong has the keyboard');
      await name.fill('clock');
      await until(async () => (await wrong()) === 0, 'nothing is wrong');
    }));
});
