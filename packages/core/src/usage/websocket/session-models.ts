/** Where a session of Realtime or Live names its model, and the one that transcribes what it hears: in settings of today and in older ones. */
import { watched } from '../../json/watched-value.ts';

export interface SessionModels {
  readonly response: string | null;
  readonly transcription: string | null;
}

/** The places of a member `session`. */
export class SessionPlaces {
  readonly #model = watched();
  readonly #transcription = watched();
  readonly #olderTranscription = watched();
  readonly place = watched({
    model: this.#model, audio: watched({ input: watched({ transcription: watched({ model: this.#transcription }) }) }),
    input_audio_transcription: watched({ model: this.#olderTranscription }),
  });

  read(): SessionModels {
    return { response: this.#model.string(), transcription: this.#transcription.string() ?? this.#olderTranscription.string() };
  }
}
