/** The changes of one subject, of one kind, and of both are found in the trail's order; those since a moment are counted without the others. */
import type { Migration } from './migration.ts';

export const auditSearches: Migration = async (transaction) => {
  const index = (name: string) => transaction.schema.createIndex(name).on('audit_event');
  await index('audit_event_by_subject').columns(['organization', 'subject', 'sequence']).execute();
  await index('audit_event_by_action').columns(['organization', 'action', 'sequence']).execute();
  await index('audit_event_by_subject_and_action').columns(['organization', 'subject', 'action', 'sequence']).execute();
  await index('audit_event_by_time').columns(['organization', 'at_ms', 'sequence']).execute();
};
