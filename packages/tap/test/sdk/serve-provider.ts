/**
 * The scripted provider as a separate process, for the test suites of other languages: prints its URL, answers `GET /asked` with how many
 * calls it received, and ends with its standard input.
 */
import { startFakeProvider } from './fake-provider.ts';

const provider = await startFakeProvider();
console.log(provider.url);
process.stdin.resume().on('end', () => void provider.close());
