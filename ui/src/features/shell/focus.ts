// Keeps the keyboard at work. What has the focus can be taken away: a row, a finding that is put right, a message that
// ends. The browser then leaves the keyboard nowhere; here it goes to what stands in the place, else to the heading of
// the region, else to the list.
import { DETAIL_ID } from '../detail/place';

const FOCUSABLE = 'button, a[href], input, select, textarea, summary, [tabindex="0"]';
/** What one of several is replaced by another of. */
const SEVERAL = 'ul, ol, [data-several]';
const REGION = 'section, nav, header, dialog, main';

interface Step {
  parent: Element;
  at: number;
}
interface Held {
  element: HTMLElement;
  /** From the element to the page: the parent, and the number of the branch in it. */
  way: Step[];
}

const seen = (element: HTMLElement): boolean => element.isConnected && element.getClientRects().length > 0 && !element.matches(':disabled');
const first = (root: Element): HTMLElement | null =>
  [root, ...root.querySelectorAll(FOCUSABLE)].find((one): one is HTMLElement => one instanceof HTMLElement && one.matches(FOCUSABLE) && seen(one)) ?? null;

function wayOf(element: HTMLElement): Step[] {
  const way: Step[] = [];
  for (let child: Element = element; child.parentElement !== null; child = child.parentElement) {
    way.push({ parent: child.parentElement, at: [...child.parentElement.children].indexOf(child) });
  }
  return way;
}

/** The row that the Tab key reaches, or what is there instead. */
function home(): HTMLElement | null {
  const row = document.querySelector<HTMLElement>('[data-row-main][tabindex="0"]');
  if (row !== null && seen(row)) return row;
  const heading = document.getElementById(DETAIL_ID);
  if (heading !== null && seen(heading)) return heading;
  const main = document.querySelector('main');
  return main === null ? null : first(main);
}

function heir(way: readonly Step[]): HTMLElement | null {
  for (const { parent, at } of way) {
    if (!parent.isConnected) continue;
    if (parent.matches(SEVERAL)) {
      const children = [...parent.children];
      for (const child of [...children.slice(at), ...children.slice(0, at).reverse()]) {
        const to = first(child);
        if (to !== null) return to;
      }
    }
    if (parent.matches('main')) break;
    if (parent.matches(REGION)) {
      const heading = parent.querySelector<HTMLElement>('[tabindex="-1"]:is(h1, h2, h3)');
      return heading !== null && seen(heading) ? heading : (first(parent) ?? home());
    }
  }
  return home();
}

/** Returns how to stop. */
export function keepFocus(messages: () => Element | undefined): () => void {
  let held: Held | null = null;
  /** The last that was no message: messages come and go by themselves. */
  let before: Held | null = null;
  let asked = false;

  const onfocusin = ({ target }: FocusEvent): void => {
    // Rows of a long list that are only scrolled out of sight are not gone.
    if (!(target instanceof HTMLElement) || target.closest('li[aria-setsize]') !== null) return void (held = null);
    held = { element: target, way: wayOf(target) };
    if (messages()?.contains(target) !== true) before = held;
  };
  const look = (): void => {
    asked = false;
    const { activeElement } = document;
    if (held === null || (activeElement !== null && activeElement !== document.body && !activeElement.matches(':disabled'))) return;
    // It is still there: somebody pressed on the page.
    if (seen(held.element)) return;
    const dialog = document.querySelector('dialog[open]');
    if (dialog !== null && !held.way.some(({ parent }) => parent === dialog)) return;
    const message = held !== before;
    const lost = message ? before : held;
    const to = lost === null ? home() : message && seen(lost.element) ? lost.element : heir(lost.way);
    held = null;
    to?.focus({ preventScroll: true });
  };
  const watcher = new MutationObserver(() => {
    if (asked || held === null) return;
    asked = true;
    requestAnimationFrame(look);
  });
  document.addEventListener('focusin', onfocusin);
  watcher.observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled', 'hidden', 'open'] });
  return () => {
    document.removeEventListener('focusin', onfocusin);
    watcher.disconnect();
  };
}
