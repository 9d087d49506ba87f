/** Install commands and code for the tap, for each language. */
interface TapPlace {
  readonly platformUrl: string;
  readonly key: string;
}

interface TapSnippet {
  readonly install: string;
  readonly code: string;
}

const tapImports = ["import OpenAI from 'openai';", "import { tap } from '@metergate/tap';"].join('\n');

const environment = ({ platformUrl, key }: TapPlace): string => `export SVC_TAP_KEY="${key}"
export SVC_TAP_ENDPOINT="${platformUrl}/tap/v1/events"`;

export const tapSnippets: Readonly<Record<'javascript' | 'python', (place: TapPlace) => TapSnippet>> = {
  javascript: (place) => ({
    install: `npm install @metergate/tap
${environment(place)}`,
    code: `${tapImports}

// The same client, used as before. The second argument names the unit that calls.
const client = tap(new OpenAI(), 'checkout-bot');`,
  }),
  python: (place) => ({
    install: `pip install metergate-tap
${environment(place)}`,
    code: `from openai import OpenAI
from metergate_tap import tap

# The same client, to be used as before. The second argument names the unit that calls.
client = tap(OpenAI(), "checkout-bot")`,
  }),
};
