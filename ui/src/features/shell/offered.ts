// What is pasted or dropped, as text.

/** A dragged link is a list of urls; only some programs add it as plain text, too. */
export const OFFERED = ['text/plain', 'text/uri-list'] as const;

/** Empty: nothing that could be a server. */
export function offered(data: Pick<DataTransfer, 'getData'> | null): string {
  const plain = data?.getData('text/plain').trim() ?? '';
  if (plain !== '') return plain;
  const urls = data?.getData('text/uri-list').split(/\r?\n/) ?? [];
  return urls.map((url) => url.trim()).find((url) => url !== '' && !url.startsWith('#')) ?? '';
}
