/**
 * A process of its own that removes what is past its age, slice by slice, to be killed in the middle of it.
 * Arguments: the store's address, the organization, the time to go by. Prints a line before each slice.
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
