/**
 * One attempt to deliver a notice: signed as Standard Webhooks specify, sent to the exact address that the guard checked, without following
 * redirects.
 */
import { createHmac } from 'node:crypto';
import { signedContent } from '@metergate/core/alert/webhook-event.ts';
import type { AddressGuard } from '@metergate/store/network/address-guard.ts';
import type { DeliveryAttempt } from '@metergate/store/alerts/deliveries.ts';
import { outwardReason, outwardRequest } from '../network/outward-request.ts';

interface OutgoingNotice {
  readonly url: string;
  /** `whsec_` and base64. */
  readonly secret: string;
  readonly id: string;
  readonly body: string;
  readonly nowMs: number;
}

interface PostRules {
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
export async function postNotice(notice: OutgoingNotice, { guard, deadlineMs }: PostRules): Promise<DeliveryAttempt> {
  try {
    // Only its status is read.
    const status = await outwardRequest(new URL(notice.url), {
      method: 'POST', guard, deadlineMs, body: notice.body, headers: {
        'content-type': 'application/json', 'content-length': Buffer.byteLength(notice.body), 'user-agent': 'metergate-webhooks',
        'webhook-id': notice.id, 'webhook-timestamp': String(Math.floor(notice.nowMs / 1_000)), 'webhook-signature': signatureOf(notice),
      },
    }, (answer) => answer.statusCode ?? 0);
    return { delivered: status >= 200 && status < 300, status, error: null };
  } catch (fault) {
    return { delivered: false, status: null, error: outwardReason(fault) };
  }
}
