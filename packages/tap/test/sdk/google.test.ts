/** `@google/genai`, current and oldest, bare and observed. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b. */
import { GoogleGenAI as Current } from '@google/genai';
import { GoogleGenAI as Oldest } from '@google/genai-oldest';
import { compare } from './compare.ts';
import { googleSteps } from './google-steps.ts';

for (const [name, Sdk, requestId] of [['google 3', Current, 'gem-N'], ['google 1', Oldest, null]] as const) {
  compare({
    name,
    client: (url) => new (Sdk as typeof Current)({ apiKey: 'CANARY-key', httpOptions: { baseUrl: url, retryOptions: { attempts: 1 } } }),
    steps: googleSteps(requestId),
  });
}
