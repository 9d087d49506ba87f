/** The named providers, as people call them. */
import type { Shown } from '../api/client.ts';

export type NamedProvider = Shown<'ListedProviderConnection'>['provider'];

export const providerNames: Readonly<Record<NamedProvider, string>> = { openai: 'OpenAI', anthropic: 'Anthropic' };
