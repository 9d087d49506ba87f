/** `metergate alert`: the percentages of a cap's limit at which webhooks are notified. Rules: Interfaces; docs/alerts.md. */
import { listAlerts, removeAlert, setAlert } from '@metergate/platform/use-cases/alerts/alerts.ts';
import { command, commandGroup } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { showing } from '../command-line/on-store.ts';
import { listed } from '../command-line/table.ts';
import { percentages } from '../command-line/value-forms.ts';

const set = command({
  description: 'Set the alert thresholds of a cap, replacing earlier ones',
  args: {
    org: orgArgument,
    cap: { type: 'string', required: true, valueHint: 'CAP_ID', description: 'The cap, as cap list shows it' },
    at: { type: 'string', required: true, valueHint: 'PERCENT', description: 'Percent of its limit, such as 50,80,100' },
  },
  run: ({ org, cap, at }, tools) => {
    const percent = percentages('at', at);
    return showing(tools, (context) => setAlert(context, { organization: org, cap, at: percent }),
      (made) => ({ json: made, text: `Webhooks are notified at ${made.at.join(', ')} percent of the limit of ${made.cap}.` }));
  },
});

const list = command({
  description: 'List the thresholds of caps',
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => listAlerts(context, org),
    (shown) => listed(shown, 'No cap of this organization has thresholds.', {
      ID: ({ id }) => id, CAP: ({ cap }) => cap, 'AT PERCENT': ({ at }) => at.join(', '),
    }, { shrinks: 'AT PERCENT' })),
});

const remove = command({
  description: 'Remove the thresholds of a cap',
  takesAway: true,
  args: { id: { type: 'positional', required: true, valueHint: 'ID', description: "The alert's id or its cap's" } },
  run: ({ id }, tools) => showing(tools, (context) => removeAlert(context, id),
    (removed) => ({ json: removed, text: 'The thresholds are removed.' })),
});

export const alert = commandGroup('Set, list and remove the thresholds of caps', { set, list, remove });
