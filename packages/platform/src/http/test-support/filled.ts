/** For tests: values that fit the schemas of the operations, whichever they are. */

/** The parts of a zod schema that say what fits it. */
export interface SchemaPart {
  readonly def: {
    readonly type: string;
    readonly innerType?: SchemaPart;
    readonly in?: SchemaPart;
    readonly element?: SchemaPart;
    readonly options?: readonly SchemaPart[];
    readonly shape?: Readonly<Record<string, SchemaPart>>;
    readonly entries?: Readonly<Record<string, string>>;
    readonly values?: readonly unknown[];
  };
}

/** A value of the schema's form, with `text` wherever a text is allowed. */
export function filled({ def }: SchemaPart, text: string): unknown {
  switch (def.type) {
    case 'number': return 1;
    case 'boolean': return true;
    case 'enum': return Object.values(def.entries!)[0];
    case 'literal': return def.values![0];
    case 'array': return [filled(def.element!, text)];
    case 'union': return filled(def.options![0]!, text);
    case 'object': return Object.fromEntries(Object.entries(def.shape!).map(([name, part]) => [name, filled(part, text)]));
    default: {
      const inner = def.innerType ?? def.in;
      return inner === undefined ? text : filled(inner, text);
    }
  }
}

/** The fields of an object's schema; none if there is no schema. */
export function shapeOf(schema: unknown): Readonly<Record<string, SchemaPart>> {
  return (schema as SchemaPart | undefined)?.def.shape ?? {};
}
