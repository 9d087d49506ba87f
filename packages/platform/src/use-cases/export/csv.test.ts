/** Lines of CSV: RFC 4180, and no text of a caller or provider that a spreadsheet would compute. Rule 25. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { csvLine } from './csv.ts';

/** Cells of a CSV text by the grammar of RFC 4180. */
function parsed(text: string): string[][] {
  const rows: string[][] = [];
  let at = 0;
  for (let row: string[] = []; at < text.length;) {
    let cell = '';
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += text[at] === '"' ? 2 : 1) {
        assert.ok(at < text.length, 'a quoted cell ends');
        cell += text[at]!;
      }
      at += 1;
    } else {
      for (; at < text.length && !',\r\n"'.includes(text[at]!); at += 1) cell += text[at]!;
    }
    row.push(cell);
    if (text[at] === ',') at += 1;
    else {
      assert.equal(text.slice(at, at + 2), '\r\n', 'a line ends with CR LF');
      at += 2;
      rows.push(row);
      row = [];
    }
  }
  return rows;
}

test('every text comes back as it was, except for the apostrophe before formulas', () => {
  const place = new URL('../../../../../shared/inputs/naughty-strings.json', import.meta.url);
  const texts = ['', 'plain', 'a,b', '"', '""', 'a"b', 'line\nline', 'line\r\nline', ' lead', 'end ', 'naïve 🤖', ',', "'=1"];
  try {
    texts.push(...(JSON.parse(readFileSync(place, 'utf8')) as unknown[]).filter((text) => typeof text === 'string'));
  } catch (error) {
    assert.equal((error as { code?: string }).code, 'ENOENT');
  }
  for (const text of texts) {
    const [[first, second] = []] = parsed(csvLine([text, 'next']));
    assert.equal(second, 'next');
    assert.equal(first, /^[=+\-@|%\t\r\n\uFF1D\uFF0B\uFF0D\uFF20\uFF5C\uFF05]/.test(text) ? `'${text}` : text);
  }
});

test('formulas become text for a spreadsheet; numbers stay numbers; absent is empty', () => {
  for (const begin of ['=', '+', '-', '@', '|', '%', '\t', '\r', '\n', '\uFF1D', '\uFF0B', '\uFF0D', '\uFF20', '\uFF5C', '\uFF05']) {
    const [[cell] = []] = parsed(csvLine([`${begin}HYPERLINK("http://x","y")`]));
    assert.equal(cell, `'${begin}HYPERLINK("http://x","y")`);
  }
  assert.equal(csvLine([-1, 12n, null, 0.5]), '-1,12,,0.5\r\n');
});
