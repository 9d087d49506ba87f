/** Event-stream framing by the rules of the WHATWG, cut at every byte. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { draws, fc } from '@metergate/testkit/drawn.ts';
import { EventStreamSplitter } from './sse.ts';

/** Events of a stream as texts: data lines of one event joined by `\n`; `ended` marks every newline of a data line. */
function split(bytes: Uint8Array, pieceBytes = bytes.length || 1): { events: string[]; lines: number; open: string[] } {
  const events: string[] = [];
  let lines: string[] = [];
  let line = '';
  let count = 0;
  const splitter = new EventStreamSplitter({
    data: (chunk, from, to) => { line += Buffer.from(chunk.subarray(from, to)).toString('latin1'); },
    dataLineEnded: () => { lines.push(line); line = ''; count++; },
    eventEnded: () => { if (lines.length > 0) events.push(lines.join('\n')); lines = []; },
  });
  for (let i = 0; i < bytes.length; i += pieceBytes) splitter.push(bytes.slice(i, i + pieceBytes));
  splitter.end();
  return { events, lines: count, open: lines };
}

function checkSplit(stream: string, events: string[]): void {
  const bytes = Buffer.from(stream, 'latin1');
  for (const pieceBytes of [bytes.length || 1, 1, 2, 3, 5]) {
    assert.deepEqual(split(bytes, pieceBytes).events, events, `pieces of ${pieceBytes}`);
  }
  for (let cut = 0; cut <= bytes.length; cut++) {
    const parts: string[] = [];
    let line = '';
    let lines: string[] = [];
    const splitter = new EventStreamSplitter({
      data: (chunk, from, to) => { line += Buffer.from(chunk.subarray(from, to)).toString('latin1'); },
      dataLineEnded: () => { lines.push(line); line = ''; },
      eventEnded: () => { if (lines.length > 0) parts.push(lines.join('\n')); lines = []; },
    });
    splitter.push(bytes.subarray(0, cut));
    splitter.push(bytes.subarray(cut));
    assert.deepEqual(parts, events, `cut at ${cut}`);
  }
}

const bom = '\xef\xbb\xbf';
const cases: [string, string, string[]][] = [
  ['one event', 'data: a\n\n', ['a']],
  ['line ends CR', 'data: a\rdata: b\r\rdata: c\r\r', ['a\nb', 'c']],
  ['line ends CRLF', 'data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n', ['a\nb', 'c']],
  ['line ends mixed', 'data: a\r\n\ndata: b\n\r\ndata: c\r\r\n', ['a', 'b', 'c']],
  ['LF then CR: two line ends', 'data: a\n\rdata: b\n\n', ['a', 'b']],
  ['no space, one space, two spaces', 'data:a\n\ndata: b\n\ndata:  c\n\n', ['a', 'b', ' c']],
  ['a tab is no space', 'data:\ta\n\n', ['\ta']],
  ['empty data, with and without the colon', 'data:\n\ndata\n\ndata: \n\n', ['', '', '']],
  ['two data lines, one without value', 'data\ndata\n\n', ['\n']],
  ['comments and a bare colon', ': data: x\n:\ndata: a\n: y\ndata: b\n\n', ['a\nb']],
  ['other fields, names that only begin like data',
    'event: data\nid: 1\nretry: 5\ndat: x\ndataa: y\nDATA: z\n data: w\ndata : v\ndata: a\n\n', ['a']],
  ['a byte order mark at the start', `${bom}data: a\n\n`, ['a']],
  ['a byte order mark elsewhere is part of a name', `data: a\n\n${bom}data: b\n\n`, ['a']],
  ['half a byte order mark is part of a name', '\xef\xbbdata: b\ndata: a\n\n', ['a']],
  ['two byte order marks: the second is part of a name', `${bom}${bom}data: b\n\ndata: a\n\n`, ['a']],
  ['nothing but blank lines', '\n\r\n\r\n\n', []],
  ['blank lines after a byte order mark', `${bom}\n\ndata: a\n\n`, ['a']],
  ['an event without data is none', 'event: x\n\ndata: a\n\nid: 3\n\n', ['a']],
  ['an event without its blank line is not ended', 'data: a\n\ndata: b\n', ['a']],
  ['colons in the value', 'data: a: b:c\n\n', ['a: b:c']],
  ['bytes above ASCII pass as they are', 'data: \xc3\xa9\xff\n\n', ['\xc3\xa9\xff']],
];

describe('WHATWG HTML 9.2.6: event streams, cut at any byte', () => {
  for (const [name, stream, events] of cases) test(name, () => checkSplit(stream, events));

  test('at the end of the body, a data line without its newline is reported as a line', () => {
    for (const [stream, open] of [['data: a', ['a']], ['data:', ['']], ['data', ['']], ['dat', []], ['data: a\nda', ['a']], ['event: x',
      []]] as const) {
      assert.deepEqual(split(Buffer.from(stream)).open, open, stream);
    }
  });

  test('any lines with any line ends: the events are those a plain reading of the rules gives', () => {
    const line = fc.constantFrom('data: a', 'data:b', 'data', 'dat', ': c', 'event: e', '', '', 'data: {"x":1}');
    const end = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(fc.property(fc.array(fc.tuple(line, end), { maxLength: 12 }), fc.integer({ min: 1, max: 9 }), (lines, pieceBytes) => {
      const stream = lines.map(([text, ending]) => text + ending).join('');
      const events: string[] = [];
      let data: string[] = [];
      for (const text of stream.split(/\r\n|\r|\n/).slice(0, -1)) {
        const field = /^data(?:: ?(.*))?$/.exec(text);
        if (field !== null) data.push(field[1] ?? '');
        if (text !== '') continue;
        if (data.length > 0) events.push(data.join('\n'));
        data = [];
      }
      assert.deepEqual(split(Buffer.from(stream), pieceBytes).events, events);
    }), { numRuns: draws(500) });
  });
});
