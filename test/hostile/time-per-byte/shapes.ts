/**
 * Shapes of text that readers have taken too long for, each in any length. One table for every entry of the product: a new shape is one line.
 */

/** The text of about `bytes` bytes of UTF-8. */
export type Shape = (bytes: number) => string;

/** `unit` over and over, between `before` and `after`. */
function repeated(unit: string, before = '', after = ''): Shape {
  const unitBytes = Buffer.byteLength(unit);
  const outerBytes = Buffer.byteLength(before) + Buffer.byteLength(after);
  return (bytes) => before + unit.repeat(Math.max(1, Math.floor((bytes - outerBytes) / unitBytes))) + after;
}

/** `piece(0)`, `piece(1)` and so on: texts that differ from each other. */
function counted(piece: (index: number) => string, before = '', after = ''): Shape {
  return (bytes) => {
    const pieces: string[] = [];
    for (let length = before.length + after.length, index = 0; length < bytes; index += 1) {
      pieces.push(piece(index));
      length += pieces[index]!.length;
    }
    return before + pieces.join('') + after;
  };
}

/** What may stand in any place for text. */
export const texts: Readonly<Record<string, Shape>> = {
  'zeros': repeated('0'),
  'zeros, then a one': repeated('0', '1.', '1'),
  'digits': repeated('7'),
  'a decimal': repeated('12', '0.'),
  'letters': repeated('a'),
  'letters, then a sign': repeated('a', '', '!'),
  'capitals': repeated('A'),
  'hexadecimal': repeated('0f'),
  'base64': repeated('QUJD', '', '=='),
  'spaces': repeated(' '),
  'spaces between letters': repeated(' ', 'a', 'a'),
  'tabs': repeated('\t', 'a', 'a'),
  'line feeds': repeated('\n', 'a', 'a'),
  'lines': repeated('a\r\n'),
  'commas': repeated(','),
  'a list': repeated('a, '),
  'a list of different names': counted((index) => `n${index},`),
  'a header of parameters': repeated('; a=b', 'a'),
  'a query': counted((index) => `&n${index}=1`, 'a=1'),
  'dots': repeated('.'),
  'names with dots': repeated('a.', '', 'a'),
  'two dots': repeated('a..'),
  'slashes': repeated('/', '/v1'),
  'a path': repeated('/a', '/v1'),
  'a web address': repeated('/a', 'https://example.com'),
  'an email address': repeated('a.', 'a@', 'example.com'),
  'at signs': repeated('a@'),
  'colons': repeated(':'),
  'an address of IPv6': repeated('0:', '[', ']'),
  'hyphens': repeated('-'),
  'underscores': repeated('_', 'req_'),
  'percent signs': repeated('%'),
  'coats of percent signs': repeated('25', '%', '2e'),
  'encoded dots': repeated('%2e%2e/', '/v1/'),
  'quotes': repeated('"'),
  'doubled quotes': repeated('""', '"', '"'),
  'backslashes': repeated('\\'),
  'brackets': repeated('['),
  'braces': repeated('{'),
  'brackets of both kinds': repeated('[{'),
  'pairs of brackets': repeated('[]'),
  'accents': repeated('é'),
  'robots': repeated('🤖'),
  'joined marks': repeated('\u0301', 'e'),
  'unseen marks': repeated('\u200e'),
  'a timestamp': repeated('0', '2026-11-22T10:00:00.', 'Z'),
  'a duration': repeated('9', '', 'd'),
  'an exponent': repeated('9', '1e'),
  'a bearer': repeated(' ', 'Bearer a', 'b'),
  'a grant': repeated('QUJD', 'rbg1.', `.${'A'.repeat(86)}`),
  'a token in three parts': repeated('QUJD', 'eyJhbGciOiJFUzI1NiJ9.', '.AAAA'),
  'a trace': repeated('-a', `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`),
  'keys that never end': repeated('-----BEGIN PUBLIC KEY-----\n'),
  'comments': repeated('# a\n'),
  'indented lists': repeated('- '),
  'references': counted((index) => `a${index}: &a${index} 1\n`),
  'names without values': counted((index) => `a${index}:\n`),
  'a table wide and long': (bytes) => 'a,'.repeat(bytes / 4) + '\na'.repeat(bytes / 4),
  'a table of amounts': repeated('2026-01-01,1.25\n', 'date,cost_usd\n'),
  'fields of a stream': repeated('data: {}\n\n'),
  'one line of a stream': repeated('a', 'data: '),
  'half surrogate pairs': repeated('\ud800'),
};

/** Values of JSON that are no strings, some of them broken. */
const structures: Readonly<Record<string, Shape>> = {
  'a number of zeros, then a one': repeated('0', '1.', '1'),
  'a whole number of zeros': repeated('0', '1'),
  'a number of nines': repeated('9'),
  'a long exponent': repeated('9', '1e'),
  'a long negative exponent': repeated('9', '1e-'),
  'zeros before the point': repeated('0', '-0.', 'e1'),
  'nested lists': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'nested objects': (bytes) => '{"a":'.repeat(bytes / 6) + '1' + '}'.repeat(bytes / 6),
  'lists in lists, unclosed': repeated('[0,'),
  'a list of zeros': repeated('0,', '[', '0]'),
  'a list of empty objects': repeated('{},', '[', '{}]'),
  'a list of texts': repeated('"a",', '[', '"a"]'),
  'a list of different texts': counted((index) => `"a${index}",`, '[', '"a"]'),
  'a list of lists': repeated('[0],', '[', '[0]]'),
  'different names': counted((index) => `"a${index}":1,`, '{', '"a":1}'),
  'different escaped names': counted((index) => `"\\u0061${index}":1,`, '{', '"a":1}'),
  'numbers as names': counted((index) => `"${index}":1,`, '{', '"a":1}'),
  'one name again and again': repeated('"a":1,', '{', '"a":1}'),
  'names of prototypes': repeated('"__proto__":{},', '{', '"a":1}'),
  'one name of zeros': repeated('0', '{"', '":1}'),
  'escapes': repeated('\\u0041', '"', '"'),
  'escaped half pairs': repeated('\\ud800', '"', '"'),
  'escaped backslashes': repeated('\\\\', '"', '"'),
  'a text without its end': repeated('a', '"'),
  'escapes without an end': repeated('\\"', '"'),
  'space around a value': (bytes) => ' '.repeat(bytes / 2) + '1' + '\n'.repeat(bytes / 2),
  'space in a list': repeated('1 ,\n', '[', '1]'),
};

/** Values of JSON, as they stand in a text of JSON: each text as a string, and the structures. */
export const values: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(Object.entries(texts).map(([name, shape]) => [`text: ${name}`, (bytes: number) => JSON.stringify(shape(bytes))])),
  ...structures,
};

/** Whole bodies and files: any value, and any text that is no JSON at all. */
export const bodies: Readonly<Record<string, Shape>> = {
  ...Object.fromEntries(Object.entries(texts).map(([name, shape]) => [`bare: ${name}`, shape])),
  ...values,
};
