/** Splits text at its backticks: every second part is a name, a value or a path. An unpaired backtick stays text. */
export function words(text: string): { text: string; code: boolean }[] {
  const parts = text.split('`');
  if (parts.length % 2 === 0) {
    const last = parts.pop() ?? '';
    parts[parts.length - 1] += `\`${last}`;
  }
  return parts.map((part, index) => ({ text: part, code: index % 2 === 1 })).filter((part) => part.text !== '');
}

/** A title as the beginning of a sentence. What stands in backticks begins as it is written. */
export const sentence = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
