/** `@mistralai/mistralai`, current and oldest, bare and observed. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b. */
import { HTTPClient as CurrentHttp, Mistral as Current } from '@mistralai/mistralai';
import { HTTPClient as OldestHttp, Mistral as Oldest } from '@mistralai/mistralai-oldest';
import { compare } from './compare.ts';
import { fetchSignalled, mistralSteps } from './mistral-steps.ts';

for (const [name, Sdk, Http, cachedTokens] of [['mistral 2', Current, CurrentHttp, 4], ['mistral 1', Oldest, OldestHttp, 0]] as const) {
  compare({
    name,
    client: (url) => new (Sdk as typeof Current)({
      apiKey: 'CANARY-key', serverURL: url, retryConfig: { strategy: 'none' }, httpClient: new Http({ fetcher: fetchSignalled }) as CurrentHttp,
    }),
    steps: mistralSteps(cachedTokens),
  });
}
