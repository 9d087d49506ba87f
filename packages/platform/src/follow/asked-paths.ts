/** The path of the call that began a piece of work → where its object is, and the results that it names. Paths as a caller would ask. Pure. */
import { behindName, upstreamNameOf } from '@metergate/core/call/named-upstream.ts';

/** Null: this is not known. `hasBase`: the address of the upstream has a path of its own, so what follows it is not Azure's. */
export function objectPathOf({ path, work }: { readonly path: string; readonly work: string }, hasBase: boolean): string | null {
  if (!/^[\w-]+$/.test(work)) return null;
  const plain = path.replace(/^\/alt(?=\/v1\/)/, '').replace(/(?<=\/videos)\/[^/]+\/remix$/, '');
  const name = upstreamNameOf(plain);
  // At its dated paths Azure wants a date, which was in the query; at this one it wants none.
  const object = name === null || hasBase ? plain
    : `/upstreams/${name}${behindName(plain, name).replace(/^\/openai\/(?=(?:batches|responses|videos|fine_tuning\/jobs)$)/, '/openai/v1/')}`;
  return `${object}/${work}`;
}

/** Null: the work has no results beside its object. */
export function resultsPathOf(path: string, document: Readonly<Record<string, unknown>>): string | null {
  if (/\/messages\/batches\/[\w-]+$/.test(path)) return `${path}/results`;
  const file = [document['output_file_id'], document['output_file'], document['error_file_id'], document['error_file']]
    .find((each) => typeof each === 'string');
  const batch = /\/batch(?:es|\/jobs)\/[\w-]+$/.exec(path);
  return batch !== null && typeof file === 'string' && /^[\w-]+$/.test(file) ? `${path.slice(0, batch.index)}/files/${file}/content` : null;
}

/** What is asked for at the destination itself. */
export function targetOf(path: string): string {
  const name = upstreamNameOf(path);
  return name === null ? path.replace(/^\/upstream(?=\/v1\/)/, '') : behindName(path, name);
}
