/**
 * `metergate baseline`: the tap's seven days. Creates one with its key, shows it with its report, rotates the key, retires it, and records
 * declared figures. Rules: Interfaces.
 */
import {
  createBaselineWithKey, declareFigure, listBaselines, retireBaseline, rotateTapKey, showBaseline, type ShownTapKey,
} from '@metergate/platform/use-cases/baselines.ts';
import { command, commandGroup } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { showing } from '../command-line/on-store.ts';
import { fields, listed, secondsText } from '../command-line/table.ts';
import { givenDollars } from '../command-line/value-forms.ts';
import { baselineText, reportText } from './baseline-text.ts';

const idArgument = { type: 'positional', required: true, valueHint: 'ID', description: 'Its id, as baseline list shows it' } as const;
const keepIt = 'Save the key now: it is not shown again. Give it to the client as SVC_TAP_KEY.';

const create = command({
  description: "Create an organization's Baseline and show its tap key once",
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => createBaselineWithKey(context, org), (made) => {
    const { id, key, prefix } = made;
    return { json: { id, key, prefix }, text: `${fields([['id', id], ['key', key], ['prefix', prefix]])}\n${keepIt}` };
  }),
});

const list = command({
  description: "List an organization's Baselines, the current one first",
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => listBaselines(context, org),
    (found) => listed(found, 'This organization has no Baseline. Make one with: metergate baseline create --org ORG', {
      ID: ({ id }) => id, STATE: ({ state }) => state, KEY: ({ prefix }) => `${prefix}…`, 'FIRST DAY': ({ firstDay }) => firstDay,
      CLOSES: ({ closesAt }) => secondsText(closesAt), RETIRED: ({ retiredAt }) => secondsText(retiredAt),
    }, { shrinks: 'KEY', drops: ['RETIRED', 'FIRST DAY'] })),
});

const show = command({
  description: 'Show the state of a Baseline and its report',
  args: { id: idArgument },
  run: ({ id }, tools) => showing(tools, (context) => showBaseline(context, { id, organization: null }),
    (shown) => ({ json: shown, text: (width) => `${baselineText(shown)}\n\n${reportText(shown.report, width)}` })),
});

const rotateKey = command({
  description: 'Replace the tap key and stop the old one at once',
  takesAway: true,
  args: { id: idArgument },
  run: ({ id }, tools) => showing(tools, (context) => rotateTapKey(context, { id, organization: null }),
    (rotated) => ({ json: rotated satisfies ShownTapKey, text: `${fields(Object.entries(rotated))}\n${keepIt}` })),
});

const retire = command({
  description: 'End a tap for good: its posts are refused from now on',
  takesAway: true,
  args: { id: idArgument },
  run: ({ id }, tools) => showing(tools, (context) => retireBaseline(context, { id, organization: null }),
    (retired) => ({ json: retired, text: `${baselineText(retired)}\nThe tap is retired.` })),
});

const declare = command({
  description: 'Record a declared figure, replacing one of the same name',
  args: {
    id: idArgument,
    name: { type: 'string', required: true, valueHint: 'NAME', description: 'What it is' },
    usd: { type: 'string', required: true, valueHint: 'USD', description: 'US dollars, such as 1200 or 12.50' },
  },
  run: ({ id, name, usd }, tools) => {
    const amount = givenDollars('usd', usd);
    return showing(tools, (context) => declareFigure(context, { id, organization: null }, { name, usd: amount }),
      (shown) => ({ json: shown, text: (width) => reportText(shown.report, width) }));
  },
});

export const baseline = commandGroup('Make, list, show and retire the Baseline of the tap, and rotate its key', {
  create, list, show, 'rotate-key': rotateKey, retire, declare,
});
