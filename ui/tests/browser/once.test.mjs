// What is said is said once, in the same words, where it covers nothing; and each text has a way on.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { drawing, everyState } from './fixture.mjs';
import { closeBrowser, inspect, onPage, openBrowser } from './page.mjs';

const GITHUB = 'xcsh:user:github';
const row = (page, id) => page.locator(`[data-id="${id}"] [data-row-main]`);
const text = (fake, source = 'xcsh:user') => fake.edits.sources.get(source).text;
const button = (page, name) => page.getByRole('button', { name, exact: true });
const nav = (page, name) => page.getByRole('navigation').getByRole('button', { name }).click();
const messages = (page) => page.getByRole('status', { name: 'Messages' });
const until = async (check, what) => {
  const end = Date.now() + 10_000;
  while (!(await check())) {
    assert.ok(Date.now() < end, `never: ${what}`);
    await new Promise((done) => setTimeout(done, 30));
  }
};
async function openForm(page) {
  await row(page, GITHUB).click();
  await page.getByRole('tab', { name: 'Config' }).click();
  await page.getByLabel('Timeout').waitFor();
}
const editor = (page) => page.getByRole('textbox', { name: 'Text of ~/.xcsh/mcp.json' });
async function typeInFile(page) {
  await button(page, 'File').click();
  await editor(page).locator('.cm-line', { hasText: '"timeout": 30000' }).first().click();
  await page.keyboard.press('End');
  await page.keyboard.type('\n"note": "x",');
  await page.getByText('Saving reads').waitFor();
}

describe('messages', () => {
  before(openBrowser);
  after(closeBrowser);

  for (const [name, size] of [['wide', { width: 1280, height: 800 }], ['narrow', { width: 900, height: 700 }], ['very-narrow', { width: 600, height: 700 }], ['zoom', { width: 640, height: 400 }]]) {
    test(`cover nothing that can be pressed: ${name}`, () =>
      onPage(drawing(), { size }, async ({ page }) => {
        await openForm(page);
        await page.getByLabel('Timeout').fill('45000');
        await page.locator('.acts').getByRole('button', { name: 'More for github' }).click();
        await page.getByRole('menuitem', { name: 'Copy name' }).click();
        await messages(page).getByText('Copied github').waitFor();
        const covered = await page.evaluate(() => {
          const box = document.querySelector('.toasts').getBoundingClientRect();
          const shown = (element) => {
            // As much of it as its scrolling parents let be seen.
            let { left, top, right, bottom } = element.getBoundingClientRect();
            for (let parent = element.parentElement; parent !== null; parent = parent.parentElement) {
              if (getComputedStyle(parent).overflowY === 'visible') continue;
              const clip = parent.getBoundingClientRect();
              [left, top, right, bottom] = [Math.max(left, clip.left), Math.max(top, clip.top), Math.min(right, clip.right), Math.min(bottom, clip.bottom)];
            }
            return { left, top, right, bottom, some: right - left > 1 && bottom - top > 1 };
          };
          return [...document.querySelectorAll('button, input, a[href], select, [role=switch]')]
            .filter((one) => one.closest('.toasts') === null)
            .map((one) => [one.getAttribute('aria-label') ?? one.textContent.trim(), shown(one)])
            .filter(([, one]) => one.some && one.left < box.right - 1 && one.right > box.left + 1 && one.top < box.bottom - 1 && one.bottom > box.top + 1)
            .map(([label]) => label);
        });
        assert.deepEqual(covered, []);
        await inspect(page, `toast-${name}`);
      }));
  }
});

describe('a file that was left without its servers', () => {
  before(openBrowser);
  after(closeBrowser);

  const PATH = '/home/ana/.cursor/mcp.json';
  for (const from of ['the message', 'the history']) {
    test(`can be restored from ${from}`, () => {
      const snapshot = drawing();
      snapshot.overall.alerts = [{ path: PATH, display_path: '~/.cursor/mcp.json', what: 'lost 2 servers', servers: ['filesystem', 'github'], at: Date.now(), restorable: true, answered: false }];
      return onPage(snapshot, {}, async ({ page, fake }) => {
        const before = text(fake, 'cursor:user');
        fake.edits.lost.set(PATH, before);
        fake.edits.touch('cursor:user', () => ({}));
        await button(page, 'Leave it so').click();
        await messages(page).getByText('~/.cursor/mcp.json is left as it is. It can be restored from the history too.').waitFor();
        if (from === 'the message') await messages(page).getByRole('button', { name: 'Restore…' }).click();
        else {
          await nav(page, 'History');
          await page.getByRole('list', { name: 'Left without their servers' }).getByText('lost 2 servers').waitFor();
          await inspect(page, 'history-left');
          await button(page, 'Restore ~/.cursor/mcp.json…').click();
        }
        await button(page.getByRole('dialog', { name: 'Restore ~/.cursor/mcp.json' }), 'Restore').click();
        await until(() => text(fake, 'cursor:user') === before, 'it is as before');
        await page.getByText('Left without their servers').waitFor({ state: 'detached' });
      });
    });
  }
});

describe('each thing is said once', () => {
  before(openBrowser);
  after(closeBrowser);

  test('findings beside their list, errors of a file beside its finding', () =>
    onPage(everyState(), {}, async ({ page }) => {
      await nav(page, /^Findings/);
      await page.getByRole('region', { name: 'Findings' }).getByText('Unknown key').waitFor();
      assert.equal(await page.getByText('Unknown key').count(), 1);
      await nav(page, /^Cursor/);
      await page.getByRole('region', { name: 'Cursor: Files' }).getByText('The file does not parse').waitFor();
      assert.equal(await page.getByText(/Expected .* or .* at line 12/).count(), 1);
      await inspect(page, 'host-once');
    }));

  test('what a row says and a finding says too', () => {
    const snapshot = everyState();
    return onPage(snapshot, {}, async ({ page, fake }) => {
      const { answer } = fake.edits;
      const one = { id: 'x1', code: 'invalid', severity: 'error', title: 'neither `command` nor `url`', detail: 'One of them is needed.', path: '/home/ana/.cursor/mcp.json', display_path: '~/.cursor/mcp.json', line: 30, column: 1, server: 'invalid', fixes: [] };
      await page.route('**/rpc', async (route) => {
        if (route.request().postDataJSON().cmd !== 'server_detail') return route.continue();
        const response = await route.fetch();
        const detail = await response.json();
        await route.fulfill({ json: { ...detail, findings: [one, { ...one, id: 'x2' }] } });
      });
      assert.ok(answer);
      await row(page, 'cursor:user:invalid').click();
      const details = page.getByRole('region', { name: 'Details' });
      await details.getByText('Neither command nor url').waitFor();
      assert.equal((await details.innerText()).match(/neither command nor url/gi).length, 1, 'and it begins as a sentence does');
      await details.getByRole('button', { name: 'Open file' }).first().waitFor();
    });
  });

  test('a refusal of the form', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await openForm(page);
      await page.getByLabel('Timeout').fill('45000');
      await until(() => button(page, 'Save').isEnabled(), 'it can be saved');
      const { answer } = fake.edits;
      fake.edits.answer = (command) => {
        if (command.cmd === 'apply_edit') throw Object.assign(new Error(), { body: { code: 'invalid', message: 'No room for it', hint: null, problems: [{ field: '', severity: 'error', message: 'No room for it' }], conflict: null } });
        return answer(command);
      };
      await button(page, 'Save').click();
      await page.getByRole('form').getByText('No room for it').first().waitFor();
      assert.equal(await page.getByText('No room for it').count(), 1);
    }));
});

describe('no text is a dead end', () => {
  before(openBrowser);
  after(closeBrowser);

  test('a server that is gone leads to its namesake, the history and the list', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await row(page, GITHUB).click();
      await page.getByRole('heading', { name: 'github' }).waitFor();
      fake.snapshot.servers = fake.snapshot.servers.filter((one) => one.id !== GITHUB);
      fake.send({ kind: 'server_gone', id: GITHUB });
      await page.getByText('This server is no longer defined').waitFor();
      await inspect(page, 'gone');
      await button(page, 'History').last().waitFor();
      await button(page, 'Back to the list').waitFor();
      await button(page, 'Show the one of Cursor, user').click();
      await page.getByRole('heading', { name: 'github' }).waitFor();
      await button(page, 'Show the definition in ~/.cursor/mcp.json').or(page.getByText('The definition of xcsh is in use')).first().waitFor();
    }));

  test('tools that are not known lead to the connection, a form that cannot be shown to the file', () =>
    onPage(everyState(), {}, async ({ page, fake }) => {
      await row(page, 'xcsh:user:stopped').click();
      await page.getByRole('tab', { name: 'Config' }).click();
      await page.getByLabel('Command', { exact: true }).waitFor();
      await page.getByRole('tab', { name: /Tools/ }).click();
      await page.getByText('Its tools are known once it has connected.').waitFor();
      assert.equal(await page.getByText('offers no tools').count(), 0);
      await page.getByRole('tabpanel').getByRole('button', { name: 'Connect' }).click();
      await until(() => fake.commands.some((one) => one.cmd === 'connect'), 'it connects');
      const { answer } = fake.edits;
      fake.edits.answer = (command) => {
        if (command.cmd === 'server_form') throw Object.assign(new Error(), { body: { code: 'edit', message: 'It is written in a way that no form can show', hint: null, problems: [], conflict: null } });
        return answer(command);
      };
      await page.getByRole('tab', { name: 'Config' }).click();
      await button(page, 'Edit the file').click();
      await editor(page).waitFor();
    }));
});

describe('words', () => {
  before(openBrowser);
  after(closeBrowser);

  test('conflicts offer the same in the same order', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      const ways = () => page.locator('.conflict').getByRole('button').allTextContents();
      await openForm(page);
      await page.getByLabel('Timeout').fill('45000');
      await until(() => button(page, 'Save').isEnabled(), 'it can be saved');
      fake.edits.touch('xcsh:user', (servers) => {
        servers.github.timeout = 60000;
        return servers;
      });
      await until(() => button(page, 'Save').isEnabled(), 'it can be saved');
      await button(page, 'Save').click();
      await button(page, 'Keep mine').waitFor();
      const form = await ways();
      await inspect(page, 'conflict-one');
      await button(page, 'Keep mine').click();
      await messages(page).getByText('Edited github').waitFor();
      assert.match(text(fake), /45000/);
      fake.edits.touch('xcsh:user', (servers) => {
        servers.github.timeout = 30000;
        return servers;
      });
      await until(async () => (await page.getByLabel('Timeout').inputValue()) === '30000', 'the form is as the file is');
      await typeInFile(page);
      fake.edits.touch('xcsh:user', (servers) => ({ ...servers, other: { command: 'x', args: [] } }), false);
      await button(page, 'Review and save…').click();
      await button(page, 'Save to the file').click();
      await button(page, 'Keep mine').waitFor();
      assert.deepEqual(await ways(), form);
      assert.deepEqual(form.map((one) => one.trim()), ['Keep mine', 'Take theirs', 'Go on editing']);
    }));

  test('titles of findings begin as sentences do; applications are not called tools', () => {
    const snapshot = everyState();
    const title = 'the file holds secrets and is tracked by git';
    snapshot.findings.push({ ...snapshot.findings[0], id: 'f9', code: 'secret-in-git', title, detail: '' });
    return onPage(snapshot, {}, async ({ page }) => {
      await nav(page, /^Findings/);
      await page.getByText('The file holds secrets').waitFor();
      const titles = await page.getByRole('region', { name: 'Findings' }).locator('li strong').allTextContents();
      assert.deepEqual(titles.filter((one) => /^\p{Ll}/u.test(one)), []);
      await nav(page, 'Servers and applications');
      await page.getByRole('checkbox').first().waitFor();
      const said = await page.evaluate(() => [...document.querySelectorAll('.matrix, .matrix *')].flatMap((one) => [one.getAttribute('aria-label'), one.title, ...[...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data)]).filter((one) => /\btools?\b/i.test(one ?? '')));
      assert.deepEqual(said, []);
    });
  });
});

describe('what is reviewed is what is done', () => {
  before(openBrowser);
  after(closeBrowser);

  test('a cure that changes who may read a file says so', () => {
    const snapshot = drawing();
    const title = 'Make it readable for you only';
    snapshot.findings[0].fixes = [{ title }];
    return onPage(snapshot, {}, async ({ page, fake }) => {
      fake.edits.cures.set('f1', [{ source: 'xcsh:user', title, private: true, notes: ['Only you can read `~/.xcsh/mcp.json` then (now 0644, then 0600); what it says stays'], change: (all) => all }]);
      await nav(page, /^Findings/);
      await button(page, title).click();
      const dialog = page.getByRole('dialog', { name: title });
      await dialog.getByText('Only you can read ~/.xcsh/mcp.json then (now 0644, then 0600); what it says stays').waitFor();
      assert.equal(await dialog.getByRole('figure').count(), 0, 'no empty difference');
      assert.equal(await dialog.getByText('0 lines').count(), 0);
      await inspect(page, 'fix-mode');
    });
  });

  test('a file that changes under the review is shown anew', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await row(page, GITHUB).click({ button: 'right' });
      await page.getByRole('menuitem', { name: 'Remove…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('"timeout": 30000').waitFor();
      fake.edits.touch('xcsh:user', (servers) => {
        servers.github.timeout = 12345;
        return servers;
      });
      await dialog.getByText('The file was changed on disk meanwhile').waitFor();
      await dialog.getByText('"timeout": 12345').waitFor();
      assert.equal(await dialog.getByText('"timeout": 30000').count(), 0);
      await inspect(page, 'review-renewed');
      await until(() => button(dialog, 'Remove').isEnabled(), 'it can be done');
    }));

  test('and so is a text that is reviewed', () =>
    onPage(drawing(), {}, async ({ page, fake }) => {
      await openForm(page);
      await typeInFile(page);
      await button(page, 'Review and save…').click();
      await page.getByRole('figure').getByText('"note": "x"').waitFor();
      fake.edits.touch('xcsh:user', (servers) => ({ ...servers, other: { command: 'theirs', args: [] } }));
      await page.getByText('The file was changed on disk meanwhile').waitFor();
      await page.getByRole('figure').getByText('"theirs"').waitFor();
      await inspect(page, 'file-review-renewed');
    }));
});
