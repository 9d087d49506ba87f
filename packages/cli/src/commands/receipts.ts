/** `metergate receipts`: proof of what was measured, exported and verified without the store. Rule 24; promise 5; docs/receipts.md. */
import { resolve } from 'node:path';
import type { ReceiptFault, ReceiptVerdict } from '@metergate/core/books/receipt/verify-receipts.ts';
import {
  exportReceipts, rotateReceiptKey, showReceipt, showReceiptKeys, type ShownReceipt,
} from '@metergate/platform/use-cases/receipts/receipts.ts';
import { isRefusal } from '@metergate/platform/use-cases/refusal.ts';
import { command, commandGroup, UsageFault } from '../command-line/command.ts';
import { orgArgument } from '../command-line/common-arguments.ts';
import { countOf } from '../command-line/counts.ts';
import { onStore, showing } from '../command-line/on-store.ts';
import { fields, secondsText } from '../command-line/table.ts';
import { timeMs } from '../command-line/value-forms.ts';
import { writeWhole } from '../command-line/whole-file.ts';
import { noteHead, type ChainBehind } from '../receipts/known-heads.ts';
import { publicKeysIn, storeBehind, verifyFile } from '../receipts/verify-file.ts';

const exportFile = command({
  description: 'Write receipts to a file that anyone can verify',
  args: {
    org: orgArgument,
    from: { type: 'string', valueHint: 'T', description: 'Receipts of the calls that started at or after this time; all by default' },
    to: { type: 'string', valueHint: 'T', description: 'Receipts of the calls that started before this time' },
    out: { type: 'string', required: true, valueHint: 'FILE', description: 'Output file; an existing one is replaced once all is written' },
  },
  run: ({ org, from, to, out }, tools) => {
    const nowMs = tools.nowMs();
    const [fromMs, toMs] = [from === undefined ? undefined : timeMs('from', from, nowMs), to === undefined ? undefined : timeMs('to', to, nowMs)];
    if (fromMs !== undefined && toMs !== undefined && fromMs >= toMs) throw new UsageFault('--to must be after --from.');
    return onStore(tools, async (context, { dataDirectory }) => {
      const made = await exportReceipts(context, {
        organization: org, ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }),
      });
      if (isRefusal(made)) return made;
      const { organization, first, last } = made;
      const pieces = made.file.pieces;
      const bytes = await writeWhole(resolve(tools.cwd, out), (async function* () { for await (const each of pieces) yield each.bytes; })());
      const { hash } = await context.store.receipts.standing(organization, last) ?? { hash: null };
      if (hash !== null) noteHead(dataDirectory, { organization, last, hash });
      const receipts = last - first + 1;
      return {
        json: { organization, first, last, receipts, bytes, out },
        text: `${countOf(receipts, 'receipt')} written to ${out}, ${first} to ${last}.\n`
          + `Verify with: metergate receipts verify ${out} --public-key KEY.pem`,
      };
    });
  },
});

const verify = command({
  description: 'Verify a file of receipts, without a store',
  args: {
    file: { type: 'positional', required: true, valueHint: 'FILE', description: 'As receipts export wrote it' },
    'public-key': {
      type: 'string', valueHint: 'FILE',
      description: 'The key, in PEM, as receipts public-key printed it; without it the file is only checked against its own keys',
    },
  },
  run: async (values, tools) => {
    const given = values['public-key'];
    const verdict = await verifyFile(resolve(tools.cwd, values.file), given === undefined ? null : publicKeysIn(resolve(tools.cwd, given)));
    const behind = await storeBehind(tools, verdict);
    const { valid, checked, firstBad, fault, organization, first, last, pruned, withoutWords, key } = verdict;
    return {
      json: {
        valid, checked, firstBad, fault, organization, first, last, pruned, withoutWords, key, keyGiven: given !== undefined,
        ...(behind === null ? {} : behindJson(behind)),
      },
      text: [verdictText(verdict, given !== undefined), ...(behind === null ? [] : [behindText(behind)])].join('\n'),
      exitCode: valid && behind === null ? 0 : 1,
    };
  },
});

const faultText: { readonly [F in ReceiptFault]: string } = {
  malformed: 'the line there is of a form that a file of receipts does not have',
  out_of_order: 'another receipt stands in its place',
  words_differ: 'its words are not those that were recorded',
  hash_differs: 'its figures, or what comes before it, are not those that were recorded',
  checkpoint_differs: 'the checkpoint there does not fit the receipts before it',
  bad_signature: 'the checkpoint there is not signed by the key it names',
  unknown_key: 'the file is signed by a key that is not the one given, or that the keys before it do not vouch for',
  cut: 'the file stops there, before its signed end',
};

function verdictText(
  { valid, checked, firstBad, fault, first, last, pruned, withoutWords, organization }: ReceiptVerdict, keyGiven: boolean,
): string {
  const why = fault === null ? '' : faultText[fault];
  if (!valid) return `NOT VALID from sequence ${firstBad}: ${why}. Good before it: ${countOf(checked, 'receipt')}.`;
  const words = withoutWords === 0 ? '' : ` Without their words (erased or withheld): ${withoutWords}.`;
  const key = keyGiven ? '' : '\nIt was checked only against the keys in the file. To know who signed it, give --public-key.';
  const gone = pruned === null ? ''
    : `\nThe receipts up to ${pruned.last} are not in it: their calls were removed for their age, as was signed at ${secondsText(pruned.at)}.`;
  return `Valid: ${countOf(checked, 'receipt')} of ${organization}, ${first} to ${last}, none altered, removed or added.${words}${gone}${key}`;
}

function behindJson({ store, file, shorter }: ChainBehind): object {
  return shorter ? { storeBehind: { store, file } } : { storeDiffers: { at: file } };
}

function behindText({ store, file, shorter }: ChainBehind): string {
  return shorter
    ? `But the store here ends at ${store}, before the file's ${file}: it was restored to an earlier moment.`
    : `But the store here has another receipt at ${file}: it was restored to an earlier moment, and went on from there.`;
}

const show = command({
  description: 'Show the receipt of one call',
  args: { call: { type: 'positional', required: true, valueHint: 'CALL_ID', description: 'As x-svc-request-id gave it' } },
  run: ({ call }, tools) => showing(tools, (context) => showReceipt(context, call),
    (shown) => ({ json: shown, text: receiptText(shown), exitCode: shown.matches ? 0 : 1 })),
});

function receiptText({ call, sequence, previous, hash, wordsDigest, figures, words, matches, checkpoint }: ShownReceipt): string {
  return fields([
    ['call', call], ['sequence', sequence], ['hash', hash], ['previous', previous],
    ['record', matches ? 'is what was hashed' : 'IS NOT WHAT WAS HASHED'],
    ['signed', checkpoint === null ? null : `up to ${checkpoint.last} by ${checkpoint.key} at ${secondsText(checkpoint.at)}`],
    ['words', words === null ? 'erased' : 'as recorded'], ['words digest', wordsDigest], ...Object.entries(figures),
  ]);
}

const publicKey = command({
  description: 'Print the public key that receipts verify with, in PEM',
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => showReceiptKeys(context, org),
    (shown) => ({ json: shown, text: shown.pem.trimEnd() })),
});

const rotateKey = command({
  description: 'Replace the key that signs receipts',
  takesAway: true,
  args: { org: orgArgument },
  run: ({ org }, tools) => showing(tools, (context) => rotateReceiptKey(context, org),
    (shown) => ({ json: shown, text: `Receipts are signed by ${shown.key} from now on. Hand out its public key:\n${shown.pem.trimEnd()}` })),
});

export const receipts = commandGroup('Export and verify receipts of calls', {
  export: exportFile, verify, show, 'public-key': publicKey, 'rotate-key': rotateKey,
});
