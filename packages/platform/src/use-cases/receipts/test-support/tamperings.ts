/**
 * Ways to tamper with a file of receipts, each with the sequence that a verifier must name.
 */
import { formatLine, parseLine, type CheckpointLine, type FileLine, type ReceiptLine } from '@metergate/core/books/receipt/receipt-file.ts';
import { linkText } from '@metergate/core/books/receipt/receipt.ts';
import { sha256 } from '@metergate/store/sealing/chain/receipt-keys.ts';

/** Changes a file's lines; returns the sequence that must be named. `draw`: a random whole number below its argument. */
export type Tampering = (lines: string[], draw: (below: number) => number) => number;
const sequenceAt = (lines: readonly string[], index: number): number => {
  const line = parseLine(lines[index]!)!;
  return line.type === 'receipt' ? line.sequence : line.type === 'head' ? line.first : line.last + 1;
};
const receiptAt = (lines: readonly string[], draw: (below: number) => number): number => {
  for (;;) {
    const index = draw(lines.length);
    if (lines[index]!.startsWith('{"type":"receipt"')) return index;
  }
};
const changed = (lines: string[], index: number, change: (line: ReceiptLine) => ReceiptLine): number => {
  const sequence = sequenceAt(lines, index);
  lines[index] = formatLine(change(parseLine(lines[index]!) as ReceiptLine));
  return sequence;
};
export const tamperings: { readonly [Name in string]: Tampering } = {
  'a figure is altered': (lines, draw) => changed(lines, receiptAt(lines, draw), (line) => {
    const names = Object.keys(line.figures) as (keyof ReceiptLine['figures'])[];
    const name = names[draw(names.length)]!;
    return { ...line, figures: { ...line.figures, [name]: line.figures[name] === null ? '0' : `${line.figures[name]}0` } };
  }),
  'a figure is left out': (lines, draw) => changed(lines, receiptAt(lines, draw), (line) => ({
    ...line, figures: { ...line.figures, status: null },
  })),
  'a word is altered': (lines, draw) => changed(lines, receiptAt(lines, draw), (line) => ({
    ...line, words: { ...line.words!, project: 'another' },
  })),
  'a label is added': (lines, draw) => changed(lines, receiptAt(lines, draw), (line) => ({
    ...line, words: { ...line.words!, labels: [...line.words!.labels, 'x'] },
  })),
  'a record is removed': (lines, draw) => {
    const index = receiptAt(lines, draw);
    const sequence = sequenceAt(lines, index);
    lines.splice(index, 1);
    return sequence;
  },
  'two records are swapped': (lines, draw) => {
    const [a, b] = [receiptAt(lines, draw), receiptAt(lines, draw)].sort((x, y) => x - y) as [number, number];
    const other = a === b ? a + 1 : b;
    const sequence = sequenceAt(lines, a);
    [lines[a], lines[other]] = [lines[other]!, lines[a]!];
    return sequence;
  },
  'a record is inserted': (lines, draw) => {
    const index = receiptAt(lines, draw);
    const sequence = sequenceAt(lines, index);
    lines.splice(index, 0, lines[receiptAt(lines, draw)]!);
    return sequence === sequenceAt(lines, index) ? sequence + 1 : sequence;
  },
  'the tail is cut': (lines, draw) => {
    const index = receiptAt(lines, draw);
    const sequence = sequenceAt(lines, index);
    lines.length = index;
    return sequence;
  },
  'the end is cut': (lines) => {
    const end = parseLine(lines.pop()!) as CheckpointLine;
    return end.last + 1;
  },
  'a byte is altered': (lines, draw) => {
    const index = receiptAt(lines, draw);
    const sequence = sequenceAt(lines, index);
    const at = draw(lines[index]!.length);
    lines[index] = `${lines[index]!.slice(0, at)}${lines[index]![at] === '7' ? '8' : '7'}${lines[index]!.slice(at + 1)}`;
    return sequence;
  },
  'a record is altered and its hash made to fit': (lines, draw) => {
    const index = receiptAt(lines, draw);
    const place = sequenceAt(lines, index);
    changed(lines, index, (line) => {
      const figures = { ...line.figures, cost: '0.000000001' };
      const { previous } = previousOf(lines, index);
      return { ...line, figures, hash: sha256(linkText({ sequence: line.sequence, previous, wordsDigest: line.wordsDigest }, figures)) };
    });
    // What follows still belongs to the record as it was; if a checkpoint or the end follows, that does.
    return place + 1;
  },
};

function previousOf(lines: readonly string[], index: number): { readonly previous: string } {
  for (let before = index - 1; ; before--) {
    const line = parseLine(lines[before]!) as FileLine;
    if (line.type === 'receipt') return { previous: line.hash };
    if (line.type === 'head') return { previous: line.previous };
  }
}
