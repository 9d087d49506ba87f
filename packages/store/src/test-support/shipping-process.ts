/**
 * A process that ships the same journal segment over and over, to be killed in the middle.
 * Arguments: the store's address, the organization. Prints the number of each batch before it is shipped.
 * Record ids are made from their journal number, so that another process ships the same records again.
 */
import { openTestStore, shippedAgain } from './contract-fixture.ts';
import type { OrganizationId } from '@metergate/core/id.ts';

const [url, organization] = process.argv.slice(2) as [string, OrganizationId];
const store = await openTestStore(url, { create: false });
for (let number = 0; ; number++) {
  process.stdout.write(`${number}\n`);
  await store.calls.ship(shippedAgain(organization, number));
}
