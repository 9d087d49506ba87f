/** `@mistralai/mistralai`, current and oldest, bare and observed. Spec: Tap client wrapper 1 and 2; design 3, rows 27, 28, 30b. */
import { Mistral as Current } from '@mistralai/mistralai';
import { Mistral as Oldest } from '@mistralai/mistralai-oldest';
import { compare } from './compare.ts';
import { mistralSteps } from './mistral-steps.ts';

for (const [name, Sdk, cachedTokens] of [['mistral 2', Current, 4], ['mistral 1', Oldest, 0]] as const) {
  compare({
    name,
    client: (url) => new (Sdk as typeof Current)({ apiKey: 'k', serverURL: url, retryConfig: { strategy: 'none' } }),
    steps: mistralSteps(cachedTokens),
  });
}
