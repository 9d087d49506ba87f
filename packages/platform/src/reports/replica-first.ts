/**
 * Reports from a read replica, so that long ones take nothing from the store that calls wait for. If the replica does not answer, because it
 * is away, behind an upgrade or ended the query for its own replay, the primary is asked: a report changes nothing, so asking twice is safe.
 */
import { UnwantedWork } from '@metergate/store/threads/others-first.ts';
import type { Reports } from './report-client.ts';
import { ReportsOutOfMemory } from './running-thread.ts';

interface ReplicaFirst {
  readonly replica: Reports;
  readonly primary: Reports;
  /** Gets a sentence when the replica does not answer; should not repeat it often. */
  readonly say: (sentence: string, cause?: string) => void;
}

export function replicaFirst({ replica, primary, say }: ReplicaFirst): Reports {
  return {
    begin: () => replica.begin(),
    async run(operation, request, left) {
      try {
        return await replica.run(operation, request, left);
      } catch (fault) {
        // The replica did answer. The report needs too much memory, on the primary's thread too.
        if (fault instanceof ReportsOutOfMemory || fault instanceof UnwantedWork) throw fault;
        const answer = await primary.run(operation, request, left);
        const { message } = fault as Error;
        say(`The read replica of SVC_REPORTS_DATABASE_URL does not answer reports, so the store itself does (${message})`, 'replica');
        return answer;
      }
    },
    async close() {
      await Promise.all([replica.close(), primary.close()]);
    },
  };
}
