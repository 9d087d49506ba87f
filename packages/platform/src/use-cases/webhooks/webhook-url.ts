/** The URL that someone gives for a webhook → its normalized form, or a sentence that says why it is refused. */
import { whyNotCalled, type OutwardRules } from '../outward-url.ts';

const urlLengthMax = 2_048;

/**
 * The URL in its normalized form, or the sentence that says why notices cannot be sent there. What its host resolves to is checked when a notice is
 * sent.
 */
export function parseWebhookUrl(text: string, rules: OutwardRules): { readonly url: string } | { readonly refusal: string } {
  const url = /^https?:\/\/[^/\\]/i.test(text) && !/[\s\\]/.test(text) && text.length <= urlLengthMax ? URL.parse(text) : null;
  if (url === null) return { refusal: 'The URL must begin with https://, name a host, and have no spaces, such as https://example.com/hooks.' };
  if (url.username !== '' || url.password !== '') return { refusal: 'The URL must not carry a user name or password.' };
  if (text.includes('#')) return { refusal: 'The URL must not have a fragment.' };
  const why = whyNotCalled(url, rules);
  return why === null ? { url: url.href } : { refusal: why };
}
