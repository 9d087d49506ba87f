/**
 * The page that explains the throughput limits, with each plan's figures and the largest body it admits. Rules 21
 * and 22; spec: Limits. The figures come from the table that the gateway limits by.
 */
import { admissibleBytesMax, planFigures } from '@metergate/core/rate/tier.ts';
import { plans, type Plan } from '@metergate/core/rate/plan.ts';
import { htmlPage } from './page-style.ts';

export const limitsPath = '/limits';

const planName: { readonly [P in Plan]: string } = {
  free: 'Free', developer: 'Developer', team: 'Team', growth: 'Growth', scale: 'Scale', enterprise: 'Enterprise',
};

export function limitsPage(): string {
  return htmlPage('Rate limits', `<h1>Rate limits</h1>
<p>Two limits bound how fast an organization may send: requests per minute and tokens per minute. They are about throughput,
never about money. Each service key has both, and the organization has both across all its keys.</p>
<div class="scroll"><table>
<thead><tr><th>Plan</th><th>Requests per minute</th><th>Tokens per minute</th><th>Largest request body</th></tr></thead>
<tbody>
${plans.map(row).join('\n')}
</tbody>
</table></div>
<h2>How they work</h2>
<ul>
<li>A limit is a bucket that holds twice its figure and refills evenly over the minute. A burst of up to twice the figure
passes at once.</li>
<li>Before a call its tokens are estimated from the body's length: one token for four bytes. Afterwards the estimate gives way
to the input and output tokens that the provider reported.</li>
<li>A call whose estimate is more than a full bucket holds is never admitted: that is the largest body in the table (a MB is
1,000,000 bytes).</li>
<li>A call over a limit is answered <code>429</code> with code <code>rate_limit_exceeded</code> and <code>Retry-After</code> in
seconds. It is not forwarded, not recorded and costs nothing.</li>
<li>Each gateway node counts for itself, so with several nodes the figures in effect can be higher or lower. They are
indicative, without a guarantee.</li>
</ul>`);
}

function row(plan: Plan): string {
  const figures = planFigures[plan];
  const cells = plan === 'enterprise' ? ['set by agreement', 'set by agreement', 'by the agreed tokens']
    : [whole(figures.requestsPerMinute), whole(figures.tokensPerMinute), `${whole(admissibleBytesMax(figures) / 1_000_000)} MB`];
  return `<tr><td>${planName[plan]}</td>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
}

function whole(figure: number): string {
  return figure.toLocaleString('en-US');
}
