/** What `/metrics` of a running product says. */
import { eventually } from './eventually.ts';

/** The text, once the gateway's part is in it: that is left out where its thread is late to answer, as on a busy machine. */
export function wholeMetrics({ opsUrl }: { readonly opsUrl: string }): Promise<string> {
  return eventually(async () => {
    const text = await (await fetch(`${opsUrl}/metrics`)).text();
    return /^metergate_gateway_up 1$/m.test(text) && text;
  }, 'the gateway thread is never in time for /metrics');
}
