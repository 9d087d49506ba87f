/** `metergate correction`: differences from providers' bills, as `reconcile --record` stored them. docs/reconcile.md. */
import { rangeOf } from '@metergate/core/time/time-range.ts';
import { listCorrections, removeCorrection } from '@metergate/platform/use-cases/corrections/corrections.ts';
import { command, commandGroup } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { showing } from '../command-line/on-store.ts';
import { listed, shortDecimal } from '../command-line/table.ts';
import { givenRange, rangeWords } from '../command-line/value-forms.ts';

const list = command({
  description: 'List corrections by day',
  args: {
    org: orgArgument,
    month: { type: 'string', valueHint: 'YYYY-MM', description: 'Only days of this month; all by default' },
    since: { type: 'string', valueHint: 'T', description: 'Only days that begin at or after this time' },
    until: { type: 'string', valueHint: 'T', description: 'Only days that begin before this time' },
  },
  run: ({ org, ...range }, tools) => {
    const query = { organization: org, ...givenRange(rangeOf(rangeWords(range), tools.nowMs())) };
    return showing(tools, (context) => listCorrections(context, query),
      (found) => listed(found, 'There are no corrections.', {
        ID: ({ id }) => id, PROVIDER: ({ provider }) => provider, DAY: ({ day }) => day, MODEL: ({ model }) => model,
        'OUR USD': ({ ours }) => shortDecimal(ours), 'THEIR USD': ({ theirs }) => shortDecimal(theirs),
        CORRECTION: (each) => shortDecimal(each.correction),
      }, { shrinks: 'MODEL' }));
  },
});

const remove = command({
  description: 'Remove a correction',
  takesAway: true,
  args: { id: { type: 'positional', required: true, valueHint: 'ID', description: 'As correction list shows it' } },
  run: ({ id }, tools) => showing(tools, (context) => removeCorrection(context, id),
    (removed) => ({ json: removed, text: 'The correction is removed.' })),
});

export const correction = commandGroup('List and remove recorded differences from bills', { list, remove });
