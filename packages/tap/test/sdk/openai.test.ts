/** The `openai` SDK, current and older majors, bare and observed. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b. */
import Current from 'openai';
import Previous from 'openai-previous';
import Oldest from 'openai-oldest';
import { compare } from './compare.ts';
import { openaiSteps } from './openai-steps.ts';

for (const [name, Sdk] of [['openai 7', Current], ['openai 6', Previous], ['openai 4', Oldest]] as const) {
  compare({
    name,
    client: (url) => new (Sdk as typeof Current)({ apiKey: 'CANARY-key', baseURL: `${url}/v1`, maxRetries: 0 }),
    steps: openaiSteps,
  });
}
