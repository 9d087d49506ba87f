/**
 * A process that keeps a batch of 500 events and stops after the first slice of them, to be killed there.
 * Arguments: the store's address, the key's hash, the time of the events. Prints a line when the first slice is kept.
 */
import { setTimeout as pass } from 'node:timers/promises';
import { understoodEvent } from '@metergate/core/tap/test-support/sample-event.ts';
import { openTestStore } from './contract-fixture.ts';

const [url, keyHash, atMs] = process.argv.slice(2) as [string, string, string];
const store = await openTestStore(url, { create: false });
const events = Array.from({ length: 500 }, (_, index) => understoodEvent({ requestId: `r${index}`, timestampMs: Number(atMs) }));
await store.tapEvents.keepInSlices({ keyHash, events, isPriced: () => true, priceSteps: [] }).next();
process.stdout.write('kept\n');
await pass(60_000);
