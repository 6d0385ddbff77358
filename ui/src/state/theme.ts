// Puts the chosen theme on the page and keeps a copy for the first paint of the next start.
import type { Theme } from '../bindings/Theme';

const dark = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');

/** Returns how to stop following the system. */
export function wearTheme(theme: Theme): () => void {
  const system = dark();
  const put = (): void => {
    const now = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme;
    document.documentElement.dataset['theme'] = now;
  };
  put();
  try {
    localStorage.setItem('theme', theme);
  } catch {
    // Storage can be refused; the next start then begins with the system's choice.
  }
  if (theme !== 'system') return () => {};
  system.addEventListener('change', put);
  return () => system.removeEventListener('change', put);
}
