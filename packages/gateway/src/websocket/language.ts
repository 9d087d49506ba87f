/**
 * The messages of a connection, by its API: how both ends' messages are read, which response each is of, which models do the work, and in what
 * words a refusal is sent. Decisions 0120 and 0121.
 */
import type { RequestId } from '@metergate/core/id.ts';
import type { Refusal } from '@metergate/core/refusal.ts';
import { CallerEvents, unreadMessage, type CallerEvent } from '@metergate/core/usage/websocket/caller-event.ts';
import { AlikeMessages } from '@metergate/core/usage/websocket/alike-messages.ts';
import { realtimeCallerLearner, RealtimeCallerEvents } from '@metergate/core/usage/websocket/realtime-caller-event.ts';
import { realtimeServerLearner, RealtimeServerEvents } from '@metergate/core/usage/websocket/realtime-server-event.ts';
import { ServerEvents, untoldEvent, type ServerEvent } from '@metergate/core/usage/websocket/server-event.ts';
import type { SessionModels } from '@metergate/core/usage/websocket/session-models.ts';
import { socketKindOf, type SocketKind } from '@metergate/core/usage/socket-kind.ts';
import type { AdmittedCall } from '../call/admitted-call.ts';
import { modelName, modelOfQuery } from '../call/requested-model.ts';
import { errorEvent, realtimeErrorEvent } from './error-event.ts';
import { AlikeReader, BriefReader, LentReader, type EventReader } from './event-readers.ts';
import { heardCallOf, type HeardCalls, type CallListener } from './heard-calls.ts';
import { RealtimeResponses } from './realtime-responses.ts';
import { Responses, type ResponsesUnderWay } from './responses.ts';

/** What a model does: of Live, the session itself is one's work, and its responses are others'. */
type Work = ServerEvent['work'] | 'connection';

export interface Language {
  readonly kind: SocketKind;
  readonly responses: ResponsesUnderWay;
  /** A message follows that is read in one piece or in several, until its event is asked for. */
  readonly caller: EventReader<CallerEvent>;
  readonly provider: EventReader<ServerEvent>;
  /** The model that the provider has named for such work on this connection; null: each answer names its own, or none was named. */
  modelOf(work: Work): string | null;
  /** The model that the caller has asked for; null: none. */
  askedModelOf(work: Work, event: CallerEvent | null): string | null;
  /** The models that the caller's last message sets for the connection. */
  readonly saidModels: readonly string[];
  /** A refusal as a frame for the caller; null: this API has no words for one. `asked`: null where it is of no message. */
  refusalEvent(refusal: Refusal, id: RequestId, asked: CallerEvent | null): Buffer | null;
  /** No response is asked for or under way. */
  rests(): void;
}

/** `handshake`: of the connection. `cutOne` runs each time the record of a response is written that another one cut. */
export function languageOf(handshake: AdmittedCall, calls: HeardCalls, cutOne: () => void): Language {
  const kind = socketKindOf(handshake.route);
  if (kind === 'responses') return new ResponsesLanguage(cutOne);
  const model = modelOfQuery(handshake.route.target);
  if (kind === 'unread') return new UnreadLanguage(model);
  const call = heardCallOf(handshake.held.organization.id, handshake.route);
  return new RealtimeLanguage(kind, model, call === null ? null : calls.listen(call));
}

const noModels: readonly string[] = [];
const callerEvents = new CallerEvents();
const serverEvents: ServerEvents[] = [];
const realtimeCallerEvents = new RealtimeCallerEvents();
const realtimeServerEvents = new RealtimeServerEvents();
const callerLearner = realtimeCallerLearner();
const serverLearner = realtimeServerLearner();

class ResponsesLanguage implements Language {
  readonly kind = 'responses';
  readonly responses: Responses;
  readonly saidModels = noModels;
  readonly caller = new BriefReader<CallerEvent, CallerEvents>(callerEvents, () => new CallerEvents());
  readonly provider = new LentReader(serverEvents, () => new ServerEvents());

  constructor(cutOne: () => void) {
    this.responses = new Responses(cutOne);
  }

  modelOf(): null {
    return null;
  }

  askedModelOf(_work: Work, event: CallerEvent | null): string | null {
    return modelName(event?.model ?? null);
  }

  refusalEvent(refusal: Refusal, id: RequestId, asked: CallerEvent | null): Buffer {
    return errorEvent(refusal, id, asked?.streamId ?? null);
  }

  rests(): void {
    this.provider.giveBack();
  }
}

/** Realtime and Live: the models are those of the session, as the caller sets them and the provider confirms them. */
class RealtimeLanguage implements Language {
  readonly kind: 'realtime' | 'live';
  readonly responses: RealtimeResponses;
  saidModels = noModels;
  #asked: SessionModels;
  #named: SessionModels = { response: null, transcription: null };

  /** `model`: that the handshake names. */
  constructor(kind: 'realtime' | 'live', model: string | null, listener: CallListener | null) {
    this.responses = new RealtimeResponses(listener);
    this.kind = kind;
    this.#asked = { response: model, transcription: null };
  }

  readonly caller: EventReader<CallerEvent> = new AlikeReader(
    new AlikeMessages<CallerEvent>(callerLearner), realtimeCallerEvents, () => new RealtimeCallerEvents(), (reader) => this.#callerSaid(reader),
  );
  readonly provider: EventReader<ServerEvent> = new AlikeReader(
    new AlikeMessages<ServerEvent>(serverLearner), realtimeServerEvents, () => new RealtimeServerEvents(), (reader) => {
      if (reader !== null) this.#named = merged(this.#named, reader.models);
    },
  );

  #callerSaid(reader: RealtimeCallerEvents | null): void {
    this.saidModels = noModels;
    if (reader === null) return;
    const { models } = reader;
    const { response, transcription } = models;
    if (response !== null || transcription !== null) this.saidModels = [response, transcription].filter((name) => name !== null);
    this.#asked = merged(this.#asked, models);
  }

  modelOf(work: Work): string | null {
    return this.#of(work, this.#named);
  }

  askedModelOf(work: Work): string | null {
    return this.#of(work, this.#asked);
  }

  #of(work: Work, models: SessionModels): string | null {
    if (work === 'transcription') return models.transcription;
    return work === 'response' && this.kind === 'live' ? null : models.response;
  }

  refusalEvent(refusal: Refusal, id: RequestId, asked: CallerEvent | null): Buffer {
    return realtimeErrorEvent(refusal, id, { kind: this.kind, eventId: asked?.eventId ?? null });
  }

  rests(): void {}
}

function unread<Event>(event: Event): EventReader<Event> {
  return { read: () => event, begin() {}, push() {}, event: () => event };
}

/** No message is read: any message of a caller may cost something. */
class UnreadLanguage implements Language {
  readonly kind = 'unread';
  readonly responses = new RealtimeResponses();
  readonly saidModels = noModels;

  readonly caller = unread(unreadMessage);
  readonly provider = unread(untoldEvent);
  readonly #model: string | null;

  /** `model`: that the handshake names. */
  constructor(model: string | null) {
    this.#model = model;
  }

  modelOf(): null {
    return null;
  }

  askedModelOf(): string | null {
    return this.#model;
  }

  refusalEvent(): null {
    return null;
  }

  rests(): void {}
}

function merged(known: SessionModels, said: SessionModels): SessionModels {
  if (said.response === null && said.transcription === null) return known;
  return { response: modelName(said.response) ?? known.response, transcription: modelName(said.transcription) ?? known.transcription };
}
