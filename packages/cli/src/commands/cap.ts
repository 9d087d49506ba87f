/** `metergate cap`: sets spend caps, lists them with what was spent, removes them. Rules 4 and 8; rules: Interfaces. */
import { capScopes, type CapScope } from '@metergate/core/spend/cap.ts';
import { calendarWindows } from '@metergate/core/spend/window.ts';
import { listCaps, removeCap, setCap, type ShownCap } from '@metergate/platform/use-cases/caps.ts';
import { tryCap, type ShownTrial } from '@metergate/platform/use-cases/cap-try/cap-try.ts';
import { command, commandGroup, UsageFault } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { countOf } from '../command-line/counts.ts';
import { showing } from '../command-line/on-store.ts';
import { fields, secondsText, shortDecimal, table } from '../command-line/table.ts';
import { givenDollars } from '../command-line/value-forms.ts';

/** What a cap is about, by scope. */
const subjectArguments = {
  key: { type: 'string', valueHint: 'ID', description: 'The service key, with --scope key' },
  project: { type: 'string', valueHint: 'PROJECT', description: 'The project, with --scope project' },
  person: { type: 'string', valueHint: 'EMAIL', description: 'The member whose keys it is on, with --scope person' },
  label: { type: 'string', valueHint: 'LABEL', description: 'The label whose calls it is on, with --scope label' },
} as const;

const set = command({
  description: 'Set a spend cap, replacing one of the same scope, subject and window',
  args: {
    org: orgArgument,
    scope: {
      type: 'enum', required: true, options: [...capScopes], valueHint: 'SCOPE',
      description: 'organization; key (refuses calls only with org set --enforce-key-caps on); project (only shown); person; label',
    },
    ...subjectArguments,
    window: {
      type: 'enum', required: true, options: [...calendarWindows], valueHint: 'WINDOW', description: `${calendarWindows.join(', ')}, in UTC`,
    },
    limit: { type: 'string', required: true, valueHint: 'USD', description: 'What may be spent in one window' },
    pause: { type: 'boolean', description: 'Once reached, answer 429 with the time until it resets instead of 402' },
  },
  run: (values, tools) => {
    const { org, window } = values;
    const subject = subjectOf('set', values);
    const limit = givenDollars('limit', values.limit);
    const wanted = { organization: org, ...subject, window, limit, mode: values.pause ? 'pause' : 'refuse' };
    return showing(tools, (context) => setCap(context, wanted), (made) => {
      const text = fields([
        ['id', made.id], ['scope', made.scope], ['subject', subjectText(made)], ['window', made.window],
        ['limit', `${shortDecimal(made.limit)} USD`], ['when reached', whenReached(made)], ['spent', `${shortDecimal(made.spent)} USD`],
        ['state', stateText(made)],
      ]);
      return { json: { id: made.id }, text };
    });
  },
});

const list = command({
  description: 'List caps with what was spent in their window',
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => listCaps(context, org),
    (shown) => ({ json: shown, text: (width) => capsText(shown, width) })),
});

const tryIt = command({
  description: 'Show what a cap would have refused in the past 30 days, without setting it',
  args: {
    org: orgArgument,
    scope: { type: 'enum', required: true, options: [...capScopes], valueHint: 'SCOPE', description: 'The scope of the cap' },
    ...subjectArguments,
    window: {
      type: 'enum', required: true, options: [...calendarWindows], valueHint: 'WINDOW', description: `${calendarWindows.join(', ')}, in UTC`,
    },
    limit: { type: 'string', required: true, valueHint: 'USD', description: 'What might be spent in one window' },
  },
  run: (values, tools) => {
    const { org, window } = values;
    const subject = subjectOf('try', values);
    const limit = givenDollars('limit', values.limit);
    const wanted = { organization: org, ...subject, window: window as (typeof calendarWindows)[number], limit };
    return showing(tools, (context) => tryCap(context, wanted), (trial) => ({ json: trial, text: trialText(trial) }));
  },
});

function trialText({ wouldRefuse, windows, tried }: ShownTrial): string {
  const of = `of ${countOf(tried.calls, 'call')} and ${shortDecimal(tried.cost)} USD since ${tried.since.slice(0, 10)}`;
  if (windows.length === 0) return `It would have refused nothing, ${of}.`;
  const rows = windows.map(({ startsAt, reachedAt, refusedCalls, refusedCost }) =>
    [startsAt.slice(0, 10), secondsText(reachedAt), refusedCalls, shortDecimal(refusedCost)]);
  return `It would have refused ${countOf(wouldRefuse.calls, 'call')} worth ${shortDecimal(wouldRefuse.cost)} USD, ${of}.\n${
    table(['WINDOW FROM', 'REACHED AT', 'REFUSED', 'REFUSED USD'], rows)}`;
}

const remove = command({
  description: 'Remove a cap',
  takesAway: true,
  args: { id: { type: 'positional', required: true, valueHint: 'ID', description: 'Its id, as cap list shows it' } },
  run: ({ id }, tools) => showing(tools, (context) => removeCap(context, id),
    (removed) => ({ json: removed, text: 'The cap is removed.' })),
});

type SubjectName = keyof typeof subjectArguments;
type Subject = { readonly scope: CapScope } & { readonly [Name in SubjectName]: string | null };

/** What the values name. @throws UsageFault */
function subjectOf(word: string, values: { readonly scope: string } & { readonly [Name in SubjectName]?: string | undefined }): Subject {
  for (const [name, { valueHint }] of Object.entries(subjectArguments)) {
    const given = values[name as SubjectName] !== undefined;
    if (values.scope === name && !given) throw new UsageFault(`metergate cap ${word} --scope ${name} needs --${name} ${valueHint}.`);
    if (values.scope !== name && given) throw new UsageFault(`--${name} goes with --scope ${name} only.`);
  }
  const { scope, key = null, project = null, person = null, label = null } = values;
  return { scope: scope as CapScope, key, project, person, label };
}

function subjectText({ key, project, person, label }: Pick<ShownCap, SubjectName>): string | null {
  return key ?? project ?? person ?? label;
}

const keyCapsNote = 'Caps of keys refuse only where this is set: metergate org set ORG --enforce-key-caps on';

function capsText(shown: readonly ShownCap[], width: number | null): string {
  if (shown.length === 0) return 'This organization has no caps.';
  const rows = shown.map((each) => [
    each.id, each.scope, subjectText(each), each.window, shortDecimal(each.spent), shortDecimal(each.limit), each.unknownCalls,
    each.unpricedCalls, each.gapCalls,
    each.state === 'shown' ? null : each.mode, stateText(each), each.resetsAt?.slice(0, 10) ?? null,
    each.state === 'reached' ? null : each.forecastAt?.slice(0, 16).replace('T', ' ') ?? null,
  ]);
  const heads = ['ID', 'SCOPE', 'SUBJECT', 'WINDOW', 'SPENT USD', 'LIMIT USD', 'UNKNOWN', 'UNPRICED', 'GAPS', 'MODE', 'STATE',
    'RESETS UTC', 'FORECAST UTC'];
  const drops = width === null ? [] : ['FORECAST UTC', 'GAPS', 'UNPRICED', 'UNKNOWN', 'RESETS UTC', 'MODE', 'SCOPE'];
  const text = table(heads, rows, { widthMax: width ?? 120, shrinks: 'SUBJECT', drops });
  return shown.some(({ scope, state }) => scope === 'key' && state === 'shown') ? `${text}\n${keyCapsNote}` : text;
}

/** What a cap does now. */
function stateText({ state }: ShownCap): string {
  return state === 'shown' ? 'shown only' : state;
}

function whenReached({ scope, mode }: ShownCap): string {
  if (scope === 'project') return 'shown only, nothing is refused';
  const answer = mode === 'pause' ? 'pause (429 until it resets)' : 'refuse (402)';
  return scope === 'key' ? `${answer}, where org set --enforce-key-caps is on` : answer;
}

export const cap = commandGroup('Set, list and remove spend caps', { set, list, try: tryIt, remove });
