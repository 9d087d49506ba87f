/**
 * What people give in the place of a bill's text: archives, workbooks, invoices. Told from the first characters, as they are once the bytes were read
 * as UTF-8, where no byte of these survives that is no text.
 */
import { BillFault } from './bill-fault.ts';

/** `\ufffd` stands for bytes that are no UTF-8. */
const kinds: readonly (readonly [start: RegExp, sentence: string])[] = [
  [/^\x1f\ufffd\x08/, 'It is compressed with gzip: unpack it first.'],
  [/^PK\x03\x04/, 'It is an Excel workbook or a ZIP archive: save the sheet as CSV, or unpack it.'],
  [/^\ufffd\ufffd\x11/, 'It is an old Excel workbook: save the sheet as CSV.'],
  [/^PAR1/, 'It is Parquet: convert it to CSV, or export it as CSV.'],
  [/^%PDF/, 'It is a PDF. An invoice has no lines for days and models: download the usage or cost export.'],
  [/^(?:BZh\d|\(\ufffd\/\ufffd|\ufffd7zXZ|7z\ufffd)/, 'It is compressed: unpack it first.'],
  [/^<(?:!doctype|html|\?xml|[a-z])/i, 'It is a web page or XML, as a download may be if the session at the provider has ended.'],
];
/** UTF-16 has a zero beside each plain character. */
const startCharacters = 400;

/** @throws BillFault for what is no text of UTF-8. */
export function assertBillText(text: string): void {
  const start = text.slice(0, startCharacters);
  const sentence = kinds.find(([pattern]) => pattern.test(start.trimStart()))?.[1]
    ?? (start.includes('\0') ? 'It is in UTF-16, or no text: save it in UTF-8.' : null);
  if (sentence !== null) throw new BillFault(`The file is neither CSV nor JSON. ${sentence}`);
}
