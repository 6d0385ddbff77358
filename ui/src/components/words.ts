/** Splits text at its backticks: every second part is a name, a value or a path. An unpaired backtick stays text. */
export function words(text: string): { text: string; code: boolean }[] {
  const parts = text.split('`');
  if (parts.length % 2 === 0) {
    const last = parts.pop() ?? '';
    parts[parts.length - 1] += `\`${last}`;
  }
  return parts.map((part, index) => ({ text: part, code: index % 2 === 1 })).filter((part) => part.text !== '');
}
