/** `metergate grant`: mints a budget grant for one run and shows it once. Spec: Run; rule 15; rules: Interfaces. */
import { isRunId } from '@metergate/core/run/run-id.ts';
import { mintGrant } from '@metergate/platform/use-cases/runs.ts';
import { command, commandGroup, UsageFault } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { showing } from '../command-line/on-store.ts';
import { givenDurationMs, runBudget } from '../command-line/value-forms.ts';

const mint = command({
  description: 'Mint a grant that lifts the maximum budget for one run',
  args: {
    org: orgArgument,
    run: { type: 'string', required: true, valueHint: 'RUN', description: 'The run it is for, as x-svc-run-id will name it' },
    max: { type: 'string', required: true, valueHint: 'USD', description: 'The most that run may have, with at most six decimal places' },
    expires: { type: 'string', required: true, valueHint: 'DURATION', description: 'How long the run can be created with it: 30s, 15m, 24h, 7d' },
  },
  run: ({ org, run, max, expires }, tools) => {
    if (!isRunId(run)) throw new UsageFault('--run must be 1 to 128 visible ASCII characters.');
    const [amount, lifetimeMs] = [runBudget('max', max), givenDurationMs('expires', expires)];
    return showing(tools, (context) => mintGrant(context, { organization: org, run, max: amount, lifetimeMs }),
      (minted) => ({ json: minted, text: `${minted.grant}\nSend it as x-svc-run-grant on the calls of this run.` }));
  },
});

export const grant = commandGroup('Mint run-budget grants', { mint });
