/** One action of a person: sends it, shows a notice with the result, and refreshes the data that it changes. */
import { useMutation } from '@tanstack/react-query';
import { queries, sentenceOf } from '../api/client.ts';
import { tellDone, tellFault } from '../app/notices.ts';

interface Doing<Input, Output> {
  readonly run: (input: Input) => Promise<Output>;
  /** The notice after success; absent or null: the page reports it otherwise. */
  readonly done?: string | ((output: Output) => string | null);
  /** The start of each path whose answers the action changes. */
  readonly changes: readonly string[];
  readonly after?: (output: Output) => void;
  /** After a refusal or no answer, besides the notice. */
  readonly failed?: (fault: unknown) => void;
  /** The page shows a refusal itself, beside the form. */
  readonly quiet?: true;
}

export function useDoing<Input, Output>({ run, done, changes, after, failed, quiet }: Doing<Input, Output>) {
  return useMutation({
    mutationFn: run,
    // Runs before any data is refreshed, so that a secret that is shown only once is on the page.
    onSuccess: async (output) => {
      after?.(output);
      const notice = typeof done === 'function' ? done(output) : done;
      if (typeof notice === 'string') tellDone(notice);
      await queries.invalidateQueries({ predicate: ({ queryKey }) => changes.some((path) => String(queryKey[1]).startsWith(path)) });
    },
    // A form shows the refusal itself; this is for buttons.
    onError: (fault) => {
      if (quiet !== true) tellFault(sentenceOf(fault));
      failed?.(fault);
    },
  });
}
