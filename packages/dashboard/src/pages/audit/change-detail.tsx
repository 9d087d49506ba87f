/** What a change set, in words: one line for each field, broken between words and never cut. */
import type { Shown } from '../../api/client.ts';
import { withMoments } from '../../shown/moments.ts';

type Detail = Shown<'AuditEvent'>['detail'];

export function ChangeDetail({ of: detail }: { readonly of: Detail }) {
  const fields = Object.entries(detail).filter(([, value]) => value !== undefined);
  if (fields.length === 0) return '–';
  return fields.map(([name, value]) => (
    <div key={name} className="field-line">
      <span className="dim">{spaced(name)}</span> {said(value)}
    </div>
  ));
}

/** `requestsPerMinute` as `requests per minute`. */
function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function said(value: unknown): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(said).join(', ');
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object') return withMoments(String(value));
  return Object.entries(value)
    .map(([name, inner]) => `${spaced(name)}: ${said(inner)}`)
    .join('; ');
}
