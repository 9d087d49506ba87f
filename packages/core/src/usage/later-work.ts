/**
 * Work that is accepted now, done and paid for later, at every provider whose documents were read: which calls begin it, what in a body or a
 * header asks for it, in what form an answer tells how it ended, and whether the platform may ask for that by itself. Rules 6a, 6c and 6f. The
 * whole of it is in this table; what reads paths, bodies and outcomes is made from it.
 */

/** How an answer tells that work ended; see `outcome-place.ts`. */
const outcomeForms = [
  'response', 'batch', 'result_file', 'message_results', 'video', 'fine_tuning', 'interaction', 'completion', 'wrapped_completion',
] as const;
export type OutcomeForm = (typeof outcomeForms)[number];

/**
 * Members of a JSON body that ask for the work to be done later, each with the texts that do not: any other value asks for it but `false`, `null`
 * and, of a member with such texts, none of them in any case.
 */
export type AskedInBody = Readonly<Record<string, readonly string[]>>;

export interface WorkDoneLater {
  /** Whose API has it; several where the form is the same. */
  readonly of: string;
  /** What people call it. */
  readonly what: string;
  /** Plain operations that begin it (`plainOperationOf`). */
  readonly begins: RegExp;
  /** How an organization's rules name it. */
  readonly kind: 'deferred' | 'unreported';
  /** Null: every such call begins it. */
  readonly ifBody: AskedInBody | null;
  /** The form of the answer that settles it; null: no answer that passes here tells what it used. */
  readonly settledBy: OutcomeForm | null;
  /** Whether the platform asks for it where the organization has its work followed; a text: why it does not. */
  readonly followed: true | string;
}

const never = { kind: 'deferred', ifBody: null, settledBy: null } as const;
const untold = { ...never, followed: 'no answer that is read here tells its usage' } as const;
const inStorage = { ...never, followed: 'its results are in a storage of the cloud' } as const;
/** Of Google's tiers, those that are served at once. */
const servedAtOnce = ['standard', 'flex', 'priority'] as const;

export const laterWork: readonly WorkDoneLater[] = [
  { of: 'OpenAI, Azure, xAI, Groq, Together, and Google at OpenAI\'s paths', what: 'batches', begins: /^\/v1\/(?:(?!messages\/).+\/)?batches$/,
    kind: 'deferred', ifBody: null, settledBy: 'batch', followed: true },
  { of: 'OpenAI, Azure, Bedrock at OpenAI\'s paths, Perplexity', what: 'responses in the background', begins: /^\/v1\/(?:(?:.+\/)?responses|agent)$/,
    kind: 'deferred', ifBody: { background: [] }, settledBy: 'response', followed: true },
  { of: 'OpenAI, Azure', what: 'videos', begins: /^\/v1\/videos(?:\/[^/]+\/remix)?$/,
    kind: 'unreported', ifBody: null, settledBy: 'video', followed: true },
  { of: 'OpenAI, Azure, Mistral', what: 'fine-tuning', begins: /^\/v1\/fine_tuning\/jobs$/,
    kind: 'unreported', ifBody: null, settledBy: 'fine_tuning', followed: true },
  { of: 'Anthropic', what: 'batches of messages', begins: /^\/v1\/messages\/batches$/,
    kind: 'deferred', ifBody: null, settledBy: 'message_results', followed: true },
  { of: 'Mistral', what: 'batch jobs', begins: /^\/v1\/batch\/jobs$/, kind: 'deferred', ifBody: null, settledBy: 'batch', followed: true },
  { of: 'Google', what: 'interactions in the background', begins: /^\/v1\/interactions$/,
    kind: 'deferred', ifBody: { background: [], service_tier: servedAtOnce, serviceTier: servedAtOnce }, settledBy: 'interaction', followed: true },
  { of: 'Perplexity', what: 'asynchronous chats', begins: new RegExp('^/v1/(?:.+/)?async/(?:sonar|chat/completions)$'),
    kind: 'deferred', ifBody: null, settledBy: 'wrapped_completion', followed: true },
  { of: 'xAI', what: 'deferred chats', begins: /^\/v1\/(?:.+\/)?chat\/completions$/,
    kind: 'deferred', ifBody: { deferred: [] }, settledBy: 'completion', followed: 'its outcome can be had once, and that is the caller\'s' },
  { of: 'OpenAI', what: 'runs of threads and of evals',
    begins: /^\/v1\/(?:threads(?:\/[^/]+)?\/runs|threads\/[^/]+\/runs\/[^/]+\/submit_tool_outputs|evals\/[^/]+\/runs)$/, ...untold },
  { of: 'OpenAI, Anthropic', what: 'sessions and automations of agents',
    begins: /^\/v1\/(?:(?:agents\/)?sessions(?:\/[^/]+\/events)?|agents\/automations\/[^/]+\/invocations)$/, ...untold },
  { of: 'Anthropic', what: 'dreams, and runs of deployments', begins: /^\/v1\/(?:dreams|deployments\/[^/]+\/run)$/, ...untold },
  { of: 'Google', what: 'batches, of embeddings too, and videos',
    begins: /^\/v1\/(?:.+\/)?[^/]+:(?:predictlongrunning|batchgeneratecontent|asyncbatchembedcontent)$/, ...untold },
  { of: 'Google', what: 'triggers and their executions', begins: /^\/v1\/triggers(?:\/[^/]+\/executions)?$/, ...untold },
  { of: 'Google Vertex', what: 'batch predictions', begins: /^\/v1\/(?:.+\/)?batchpredictionjobs$/, ...inStorage },
  { of: 'Bedrock', what: 'batch inference and asynchronous invocations', begins: new RegExp('^/v1/(?:model-invocation-jobs?|async-invoke)$'),
    ...inStorage },
  { of: 'SageMaker', what: 'asynchronous invocations', begins: new RegExp('^/v1/endpoints/[^/]+/async-invocations$'), ...inStorage },
  { of: 'xAI', what: 'requests for a batch', begins: /^\/v1\/batches\/[^/]+\/requests$/, ...untold },
  { of: 'Cohere', what: 'embed jobs', begins: /^\/v1\/embed-jobs$/, ...untold },
  { of: 'Fireworks', what: 'batch inference', begins: /^\/v1\/(?:accounts\/[^/]+\/)?batchinferencejobs$/, ...untold },
  { of: 'Replicate', what: 'predictions', begins: /^\/v1\/(?:(?:models|deployments)\/[^/]+\/[^/]+\/)?predictions$/, ...untold },
  { of: 'Alibaba', what: 'images and videos', begins: /^\/v1\/services\/aigc\/(?!(?:text|multimodal)-generation\/generation$).+$/, ...untold },
];

/** A header that makes calls of its provider, Alibaba, asynchronous. */
export const asynchronousHeader = 'x-dashscope-async';

/** Whether every call of this operation begins work that is deferred. */
export function isAlwaysLater(plainOperation: string): boolean {
  return laterWork.some(({ kind, begins, ifBody }) => kind === 'deferred' && ifBody === null && begins.test(plainOperation));
}

/** What a body of this operation must have to ask for work that is done later; null: no body of it does. */
export function askedInBody(plainOperation: string): AskedInBody | null {
  return laterWork.find(({ begins, ifBody }) => ifBody !== null && begins.test(plainOperation))?.ifBody ?? null;
}

/** The row that such a call belongs to; null: none. Ids can differ by case alone, so `operation` must not be lower-cased. */
export function laterWorkOf(operation: string): WorkDoneLater | null {
  return laterWork.find(({ begins }) => begins.test(operation)) ?? null;
}
