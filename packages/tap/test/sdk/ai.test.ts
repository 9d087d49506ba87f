/** The AI SDK, current and oldest, bare and observed. Spec: Tap client wrapper 1 and 2; rules 27, 28, 30b. */
import * as current from 'ai';
import * as oldest from 'ai-oldest';
import { createOpenAI as currentProvider } from '@ai-sdk/openai';
import { createOpenAI as oldestProvider } from '@ai-sdk/openai-oldest';
import { aiSteps } from './ai-steps.ts';
import { compare } from './compare.ts';

for (const [name, ai, createOpenAI] of [['ai 7', current, currentProvider], ['ai 5', oldest as never, oldestProvider as never]] as const) {
  compare({ name, client: (url) => (createOpenAI as typeof currentProvider)({ apiKey: 'CANARY-key', baseURL: `${url}/v1` }),
    steps: aiSteps(ai as typeof current) });
}
