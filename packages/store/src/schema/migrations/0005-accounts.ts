/**
 * Accounts, members, management tokens and the audit trail; which organizations are erased; the master key's hand-over.
 * No secret lies here as it was given: passwords as scrypt hashes, sessions, invitations and tokens as SHA-256, the
 * handed-over master key sealed. An audit row has no reference to its organization: it outlives it.
 */
import { sql } from 'kysely';
import type { Migration } from './migration.ts';

export const accounts: Migration = async (transaction, engine) => {
  const { text, whole, bytes } = engine === 'sqlite'
    ? { text: sql`text`, whole: sql`integer`, bytes: sql`blob` }
    : { text: sql`text collate "C"`, whole: sql`bigint`, bytes: sql`bytea` };
  const table = (name: string) => {
    const builder = transaction.schema.createTable(name);
    return engine === 'sqlite' ? builder.modifyEnd(sql`strict`) : builder;
  };
  const index = (name: string) => transaction.schema.createIndex(name);

  await table('person')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('email', text, (column) => column.notNull().unique())
    .addColumn('name', text, (column) => column.notNull())
    .addColumn('email_verified', whole, (column) => column.notNull())
    .addColumn('image', text)
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addColumn('updated_at_ms', whole, (column) => column.notNull()).execute();

  await table('person_credential')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('person', text, (column) => column.notNull().references('person.id').onDelete('cascade'))
    .addColumn('provider', text, (column) => column.notNull())
    .addColumn('account', text, (column) => column.notNull())
    .addColumn('password_hash', text)
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addColumn('updated_at_ms', whole, (column) => column.notNull())
    .addUniqueConstraint('person_credential_once', ['person', 'provider']).execute();

  await table('person_session')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('person', text, (column) => column.notNull().references('person.id').onDelete('cascade'))
    .addColumn('token_hash', text, (column) => column.notNull().unique())
    .addColumn('organization', text, (column) => column.references('organization.id'))
    .addColumn('ip_address', text)
    .addColumn('user_agent', text)
    .addColumn('expires_at_ms', whole, (column) => column.notNull())
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addColumn('updated_at_ms', whole, (column) => column.notNull()).execute();
  await index('person_session_by_person').on('person_session').column('person').execute();

  await table('membership')
    .addColumn('organization', text, (column) => column.notNull().references('organization.id'))
    .addColumn('person', text, (column) => column.notNull().references('person.id').onDelete('cascade'))
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addPrimaryKeyConstraint('membership_pk', ['organization', 'person']).execute();
  await index('membership_by_person').on('membership').column('person').execute();

  await table('invitation')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull().references('organization.id'))
    .addColumn('email', text)
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('token_hash', text, (column) => column.notNull().unique())
    .addColumn('invited_by', text)
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addColumn('expires_at_ms', whole, (column) => column.notNull())
    .addColumn('accepted_at_ms', whole)
    .addColumn('withdrawn_at_ms', whole).execute();
  await index('invitation_by_organization').on('invitation').columns(['organization', 'created_at_ms']).execute();

  await table('management_token')
    .addColumn('id', text, (column) => column.primaryKey().notNull())
    .addColumn('organization', text, (column) => column.notNull().references('organization.id'))
    .addColumn('hash', text, (column) => column.notNull().unique())
    .addColumn('prefix', text, (column) => column.notNull())
    .addColumn('name', text)
    .addColumn('role', text, (column) => column.notNull())
    .addColumn('made_by_person', text)
    .addColumn('created_at_ms', whole, (column) => column.notNull())
    .addColumn('expires_at_ms', whole)
    .addColumn('revoked_at_ms', whole).execute();
  await index('management_token_by_organization').on('management_token').columns(['organization', 'created_at_ms']).execute();

  await table('audit_event')
    .addColumn('sequence', whole, (column) => engine === 'sqlite' ? column.primaryKey() : column.primaryKey().generatedAlwaysAsIdentity())
    .addColumn('id', text, (column) => column.notNull().unique())
    .addColumn('organization', text)
    .addColumn('at_ms', whole, (column) => column.notNull())
    .addColumn('actor_kind', text, (column) => column.notNull())
    .addColumn('actor_id', text)
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('subject', text)
    .addColumn('detail', text, (column) => column.notNull()).execute();
  await index('audit_event_by_organization').on('audit_event').columns(['organization', 'sequence']).execute();

  await table('erased_organization')
    .addColumn('organization', text, (column) => column.primaryKey().notNull().references('organization.id'))
    .addColumn('at_ms', whole, (column) => column.notNull())
    .addColumn('done_ms', whole, (column) => column.notNull())
    .addColumn('done_sequence', whole, (column) => column.notNull())
    .addColumn('finished', whole, (column) => column.notNull()).execute();

  await table('master_key_handover')
    .addColumn('from_key', text, (column) => column.primaryKey().notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .addColumn('until_ms', whole, (column) => column.notNull()).execute();
};
