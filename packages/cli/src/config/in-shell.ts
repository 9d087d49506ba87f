/** One word of a command line that we show, quoted if a shell would otherwise read it as several words, or as a pattern. */
export function inShell(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
