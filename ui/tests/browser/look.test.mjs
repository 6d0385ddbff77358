// Every state of the window in both themes: axe, no complaint of the page, and pictures into JACKFIELD_SHOTS.
import { after, before, describe, test } from 'node:test';
import { drawing, empty, everyState, many, welcome } from './fixture.mjs';
import { closeBrowser, inspect, onPage, openBrowser } from './page.mjs';

const row = (page, id) => page.locator(`[data-id="${id}"] [data-row-main]`);
const NARROW = { width: 640, height: 800 };
/** 1280 × 800 at 200 % zoom. */
const LOW = { width: 640, height: 400 };

const states = {
  main: [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').click();
    await page.getByText('What is sent').waitFor();
    await page.mouse.move(5, 795);
  }],
  states: [everyState, async ({ page }) => { await row(page, 'xcsh:user:idle').waitFor(); }],
  failed: [drawing, async ({ page }) => {
    await row(page, 'cursor:project:postgres').click();
    await page.getByText('Last lines of stderr').waitFor();
  }],
  off: [everyState, async ({ page }) => {
    await row(page, 'cursor:user:github').click();
    await page.getByText('Where it is defined').waitFor();
  }],
  review: [drawing, async ({ page }) => {
    await page.getByRole('button', { name: 'Review: deploy' }).click();
    await page.getByRole('button', { name: 'Approve and connect' }).waitFor();
  }],
  tools: [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').click();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await page.locator('[data-key="list_issues"]').click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('took 184 ms').waitFor();
    await page.mouse.move(5, 795);
  }],
  'tool-errors': [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').click();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await page.locator('[data-key="delete_file"]').click();
    await page.getByLabel('Arguments (JSON)').fill('{"state":"error"}');
    await page.keyboard.press('Control+Enter');
    await page.getByText('The tool reports an error').waitFor();
    await page.getByLabel('Arguments (JSON)').fill('{"state":');
    await page.getByText(/Not valid JSON/).waitFor();
  }],
  'tools-cached': [drawing, async ({ page }) => {
    await row(page, 'claude-code:user:playwright').click();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await page.getByText('From cache;').waitFor();
  }],
  'all-tools': [drawing, async ({ page }) => {
    await page.getByRole('navigation').getByRole('button', { name: /^Tools/ }).click();
    await page.getByText('143 tools of 7 servers').waitFor();
  }],
  log: [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').click();
    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByText('1,204 older lines dropped').waitFor();
  }],
  host: [everyState, async ({ page }) => {
    await page.getByRole('navigation').getByRole('button', { name: /^Cursor/ }).click();
    await page.getByRole('heading', { name: 'Findings' }).waitFor();
  }],
  nothing: [drawing, async ({ page }) => { await page.getByText('Nothing selected').waitFor(); }],
  welcome: [welcome, async ({ page }) => { await page.getByText('Nothing has been started').waitFor(); }],
  'welcome-choose': [welcome, async ({ page }) => {
    await page.getByRole('button', { name: 'Choose…' }).click();
    await page.getByRole('checkbox', { name: 'memory' }).uncheck();
  }],
  'welcome-none': [() => empty(null), async ({ page }) => { await page.getByText('Where Jackfield looked').waitFor(); }],
  empty: [empty, async ({ page }) => { await page.getByText('No servers yet').waitFor(); }],
  off_mcp: [() => ({ ...empty(), overall: { ...empty().overall, enable_mcp: false } }), async ({ page }) => { await page.getByText('MCP is off').waitFor(); }],
  unreachable: [drawing, async ({ page }) => { await page.getByRole('button', { name: 'Try again' }).waitFor(); }, { fake: { down: true } }],
  nomatch: [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothing like it');
    await page.getByText('Nothing matches').waitFor();
  }],
  projects: [drawing, async ({ page }) => {
    await page.getByRole('button', { name: /^Project/ }).click();
    await page.getByText('Known to your applications').waitFor();
  }],
  menus: [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').click();
    await page.getByText('What is sent').waitFor();
    await page.locator('.acts').getByRole('button', { name: 'More for github' }).click();
    await page.getByRole('menuitem', { name: 'Show in folder' }).waitFor();
  }],
  sort: [drawing, async ({ page }) => {
    await page.getByRole('button', { name: /^Sort/ }).click();
    await page.getByRole('menuitemradio', { name: 'by name' }).waitFor();
  }],
  toast: [drawing, async ({ page }) => {
    await page.getByRole('switch', { name: 'memory enabled' }).click();
    await page.getByText('Cursor still starts it itself').waitFor();
  }],
  shortcuts: [drawing, async ({ page }) => {
    await page.getByText('Nothing selected').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
  }],
  thousand: [() => many(1000), async ({ page }) => { await row(page, 'xcsh:user:github').waitFor(); }],
  'narrow-list': [everyState, async ({ page }) => { await row(page, 'xcsh:user:github').waitFor(); }, { size: NARROW }],
  'narrow-side': [drawing, async ({ page }) => {
    await page.getByRole('button', { name: 'Views and sources' }).click();
    await page.getByRole('navigation').waitFor();
  }, { size: NARROW }],
  'narrow-detail': [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').click();
    await page.getByText('What is sent').waitFor();
  }, { size: NARROW }],
  'narrow-tools': [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').click();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await page.locator('[data-key="list_issues"]').click();
  }, { size: NARROW }],
  'narrow-welcome': [welcome, async ({ page }) => { await page.getByText('Nothing has been started').waitFor(); }, { size: NARROW }],
  'zoom-list': [everyState, async ({ page }) => { await row(page, 'xcsh:user:github').waitFor(); }, { size: LOW }],
  'zoom-detail': [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').click();
    await page.getByText('What is sent').waitFor();
  }, { size: LOW }],
  'zoom-tools': [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').click();
    await page.getByRole('tab', { name: /Tools/ }).click();
    await page.locator('[data-key="list_issues"]').click();
    await page.getByRole('button', { name: 'Call', exact: true }).click();
    await page.getByText('took 184 ms').waitFor();
  }, { size: LOW }],
  medium: [drawing, async ({ page }) => {
    await row(page, 'xcsh:user:github').click();
    await page.getByText('What is sent').waitFor();
  }, { size: { width: 900, height: 700 } }],
};

describe('the look of every state', () => {
  before(openBrowser);
  after(closeBrowser);
  for (const [name, [data, act, options = {}]] of Object.entries(states)) {
    for (const theme of ['light', 'dark']) {
      test(`${name}, ${theme}`, () =>
        onPage(data(), { ...options, theme }, async (at) => {
          await act(at);
          await inspect(at.page, `${name}-${theme}`);
        }));
    }
  }
});
