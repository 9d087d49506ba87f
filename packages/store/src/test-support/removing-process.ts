/**
 * A process that removes records past their age, slice by slice, to be killed in the middle.
 * Arguments: the store's address, the organization, the current time. Prints a line before each slice.
 */
import type { OrganizationId } from '@metergate/core/id.ts';
import { openTestStore } from './contract-fixture.ts';

const [url, organization, nowMs] = process.argv.slice(2) as [string, OrganizationId, string];
const store = await openTestStore(url, { create: false });
for (let more = true; more;) {
  process.stdout.write('slice\n');
  ({ more } = await store.retention.removeSlice(organization, { nowMs: Number(nowMs), rowsMax: 40 }));
}
await store.close();
