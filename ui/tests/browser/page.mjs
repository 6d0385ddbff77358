// A browser page on the fake engine, with everything a test wants to know about it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { startFake } from './fake.mjs';

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SHOTS = process.env.JACKFIELD_SHOTS;
const ARGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

let browser;
export async function openBrowser() {
  browser = await chromium.launch({ executablePath: process.env.JACKFIELD_CHROMIUM ?? '/usr/bin/chromium', args: ARGS });
}
export const closeBrowser = () => browser?.close();

/** Opens the window on `snapshot`, runs `work`, and fails on anything the page complained about. */
export async function onPage(snapshot, options, work) {
  const fake = await startFake(snapshot);
  Object.assign(fake, options.fake);
  const context = await browser.newContext({
    viewport: options.size ?? { width: 1280, height: 800 },
    colorScheme: options.theme ?? 'light',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const page = await context.newPage();
  page.setDefaultTimeout(15_000);
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error.stack)));
  page.on('console', (message) => {
    // A refused request is part of some tests; everything else on the console is a fault.
    if (['error', 'warning'].includes(message.type()) && !/Failed to load resource/.test(message.text())) complaints.push(message.text());
  });
  try {
    await page.goto(fake.url);
    await work({ page, fake, server: (name) => page.locator('[data-row-main]').filter({ has: page.locator(`.name:text-is("${name}")`) }).first() });
    assert.deepEqual(complaints, []);
  } finally {
    await context.close();
    await fake.stop();
  }
}

const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));

/** Checks what is on the page now with axe, and keeps a picture of it if asked to. */
export async function inspect(page, name = 'engine') {
  await settled(page);
  if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${name}.png`), animations: 'disabled' });
  // Through the debugger: the page's own policy would refuse an injected script.
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  assert.deepEqual(
    found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target.join(' ')} ${node.any[0]?.message ?? node.failureSummary}`).join(' | ')}`),
    [],
    name,
  );
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wider <= 0, `${name}: the page is ${wider} px wider than the window`);
}

/** A page on any address, for tests that bring their own engine. The caller closes its context. */
export async function openTab(url) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(url);
  return page;
}
