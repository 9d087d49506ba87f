/** `@anthropic-ai/sdk`, current and older majors, bare and observed. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b. */
import Current from '@anthropic-ai/sdk';
import Previous from '@anthropic-ai/sdk-previous';
import Oldest from '@anthropic-ai/sdk-oldest';
import { anthropicSteps } from './anthropic-steps.ts';
import { compare } from './compare.ts';

for (const [name, Sdk] of [['anthropic 1', Current], ['anthropic 0.137', Previous], ['anthropic 0.39', Oldest]] as const) {
  compare({
    name,
    client: (url) => new (Sdk as typeof Current)({ apiKey: 'CANARY-key', baseURL: url, maxRetries: 0 }),
    steps: anthropicSteps,
  });
}
