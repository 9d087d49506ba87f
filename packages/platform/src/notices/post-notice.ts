/**
 * One attempt to deliver a notice: signed as Standard Webhooks specify, sent to the exact address that the guard checked, without following
 * redirects.
 */
import { createHmac } from 'node:crypto';
import { signedContent } from '@metergate/core/alert/webhook-event.ts';
import type { AddressGuard } from '@metergate/store/network/address-guard.ts';
import type { DeliveryAttempt } from '@metergate/store/alerts/deliveries.ts';
import { outwardRequest } from '../network/outward-request.ts';

export interface OutgoingNotice {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  readonly id: string;
  readonly body: string;
  readonly nowMs: number;
}

export interface PostRules {
  readonly guard: AddressGuard;
  /** From the dial to the answer's head, milliseconds. */
  readonly deadlineMs: number;
}

/** `v1,` and the HMAC-SHA256 in base64. */
function signatureOf({ secret, id, body, nowMs }: Omit<OutgoingNotice, 'url'>): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(signedContent(id, Math.floor(nowMs / 1_000), body), 'utf8').digest('base64')}`;
}

/** Never throws: the attempt says what went wrong. Its words contain no address that a name resolved to. */
export function postNotice(notice: OutgoingNotice, { guard, deadlineMs }: PostRules): Promise<DeliveryAttempt> {
  const { promise, resolve } = Promise.withResolvers<DeliveryAttempt>();
  const request = outwardRequest(new URL(notice.url), guard, {
    method: 'POST', headers: {
      'content-type': 'application/json', 'content-length': Buffer.byteLength(notice.body), 'user-agent': 'metergate-webhooks',
      'webhook-id': notice.id, 'webhook-timestamp': String(Math.floor(notice.nowMs / 1_000)), 'webhook-signature': signatureOf(notice),
    },
  });
  if (request === null) return Promise.resolve(unanswered('the address is not public'));
  const late = setTimeout(() => request.destroy(new Error('late')), deadlineMs);
  const settle = (attempt: DeliveryAttempt): void => {
    clearTimeout(late);
    resolve(attempt);
  };
  request.on('response', (response) => {
    const status = response.statusCode ?? 0;
    settle({ delivered: status >= 200 && status < 300, status, error: null });
    // Only its status is read.
    response.on('error', () => {});
    request.destroy();
  });
  request.on('error', (error: Error & { readonly code?: string }) => settle(unanswered(reasonOf(error))));
  request.end(notice.body);
  return promise;
}

function unanswered(error: string): DeliveryAttempt {
  return { delivered: false, status: null, error };
}

function reasonOf({ message, code }: Error & { readonly code?: string }): string {
  if (message === 'late') return 'no answer in time';
  if (code === 'not_public') return 'the address is not public';
  if (code?.startsWith('ERR_TLS') === true || code?.includes('CERT') === true) return 'its certificate cannot be trusted';
  return `the connection failed (${code ?? 'unknown'})`;
}
