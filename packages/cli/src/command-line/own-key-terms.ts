/** The terms of own keys as one option: `keys=3,expires=30d,cap=20/month,person-cap=50/month,models=gpt-5*+claude-*`. Decision 195. */
import { ownKeysMax } from '@metergate/core/account/own-keys.ts';
import { areModelPatterns, modelPatternsForm } from '@metergate/core/call/allowed-models.ts';
import { calendarWindows } from '@metergate/core/spend/window.ts';
import type { ShownOwnCap, ShownOwnKeyTerms } from '@metergate/platform/use-cases/own-keys.ts';
import { UsageFault } from './command.ts';
import { shortDecimal } from './table.ts';
import { givenDollars, givenDurationMs, givenWholeNumber } from './value-forms.ts';

const form = 'keys=3,expires=30d,cap=20/month,person-cap=50/month,models=gpt-5*+claude-*, each once, of which only keys is needed; or none';

/** `none` is null. @throws UsageFault */
export function givenOwnKeyTerms(text: string): ShownOwnKeyTerms | null {
  if (text === 'none') return null;
  const given = new Map<string, string>();
  for (const part of text.split(',')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(at, 0)).trim();
    if (!['keys', 'expires', 'cap', 'person-cap', 'models'].includes(name) || given.has(name)) throw new UsageFault(`--own-keys must be ${form}.`);
    given.set(name, part.slice(at + 1).trim());
  }
  const [keys, expires, cap, personCap, models] = ['keys', 'expires', 'cap', 'person-cap', 'models'].map((name) => given.get(name));
  if (keys === undefined) throw new UsageFault(`--own-keys must be ${form}.`);
  return {
    keysMax: givenWholeNumber('own-keys', keys, { min: 1, max: ownKeysMax }),
    lifetimeSecondsMax: expires === undefined ? null : givenDurationMs('own-keys', expires) / 1_000,
    cap: cap === undefined ? null : capOf(cap), personCap: personCap === undefined ? null : capOf(personCap),
    models: models === undefined ? null : modelsOf(models),
  };
}

function capOf(text: string): ShownOwnCap {
  const [limit = '', word = '', ...more] = text.split('/');
  const window = calendarWindows.find((each) => each === word);
  if (window === undefined
    || more.length > 0) throw new UsageFault(`A cap of --own-keys must be an amount and one of ${calendarWindows.join(', ')}, as in 20/month.`);
  return { limit: givenDollars('own-keys', limit), window };
}

function modelsOf(text: string): readonly string[] {
  const patterns = text.split('+');
  if (!areModelPatterns(patterns)) throw new UsageFault(`--own-keys: ${modelPatternsForm}; with + between them.`);
  return patterns;
}

/** As the option takes them. */
export function ownKeyTermsText(terms: ShownOwnKeyTerms | null): string {
  if (terms === null) return 'none';
  const { keysMax, lifetimeSecondsMax, cap, personCap, models } = terms;
  return [
    `keys=${keysMax}`, ...(lifetimeSecondsMax === null ? [] : [`expires=${lifeText(lifetimeSecondsMax)}`]),
    ...(cap === null ? [] : [`cap=${shortDecimal(cap.limit)}/${cap.window}`]),
    ...(personCap === null ? [] : [`person-cap=${shortDecimal(personCap.limit)}/${personCap.window}`]),
    ...(models === null ? [] : [`models=${models.join('+')}`]),
  ].join(',');
}

const units = [[86_400, 'd'], [3_600, 'h'], [60, 'm'], [1, 's']] as const;

function lifeText(seconds: number): string {
  const [unit, letter] = units.find(([each]) => seconds % each === 0)!;
  return `${seconds / unit}${letter}`;
}
