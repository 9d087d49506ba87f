/** Words for every value of a union that the client knows, as the choices of a form. A value without words fails to compile. */

export interface Choice<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
}

/** The choices of `words`, in their order. */
export function choicesOf<Value extends string>(words: Readonly<Record<Value, string>>): readonly Choice<Value>[] {
  return (Object.keys(words) as Value[]).map((value) => ({ value, label: words[value] }));
}

/** The words for a value; a value that a newer platform sends is shown as it is. */
export function wordsFor<Value extends string>(words: Readonly<Record<Value, string>>, value: string): string {
  return (words as Readonly<Record<string, string>>)[value] ?? value;
}
