/** Arguments that several commands have. */

export const orgArgument = { type: 'string', required: true, valueHint: 'ORG', description: 'Organization, by id or unique name' } as const;
