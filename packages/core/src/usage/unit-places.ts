/**
 * Where a `usage` object counts other units than tokens, and kinds of tokens within its figures: tokens of images, what of the cached tokens was
 * sound or images, seconds, characters, images, sources that were read.
 */
import { watched } from '../json/watched-value.ts';
import { tokenFigure, type TokenFigure } from './token-figure.ts';
import { unitsOf, type Units } from './units.ts';

/** What was read; `not_a_figure`: something else stands in a figure's place. */
export interface ReadUnits {
  readonly units: Units | null | 'not_a_figure';
  /** The usage says what kinds of tokens the cached ones were. */
  readonly cachedSplit: boolean;
  /** It counts cached tokens in a member of a seller's own beside the one that the wire has for them (Mistral, Moonshot). */
  readonly cachedBeside?: boolean;
}

export class UnitPlaces {
  readonly #imageInput = watched();
  readonly #imageOutput = watched();
  readonly #cachedAudio = watched();
  readonly #cachedImage = watched();
  readonly #cachedKinds = watched({ audio_tokens: this.#cachedAudio, image_tokens: this.#cachedImage });
  readonly #seconds = watched();
  readonly #promptSeconds = watched();
  readonly #characters = watched();
  readonly #images = watched();
  readonly #sources = watched();
  readonly #cachedBeside = watched();
  /** Members of the details of the input, of those of the output, and of the usage itself. */
  readonly inputFields = { image_tokens: this.#imageInput, cached_tokens_details: this.#cachedKinds };
  readonly outputFields = { image_tokens: this.#imageOutput };
  readonly fields = {
    seconds: this.#seconds, prompt_audio_seconds: this.#promptSeconds, characters: this.#characters, images: this.#images,
    num_sources_used: this.#sources, cached_tokens: this.#cachedBeside, num_cached_tokens: this.#cachedBeside,
  };

  get #isEmpty(): boolean {
    return this.#imageInput.kind === 'absent' && this.#imageOutput.kind === 'absent' && this.#cachedKinds.kind === 'absent'
      && this.#seconds.kind === 'absent' && this.#promptSeconds.kind === 'absent' && this.#characters.kind === 'absent'
      && this.#images.kind === 'absent' && this.#sources.kind === 'absent' && this.#cachedBeside.kind === 'absent';
  }

  read(): ReadUnits {
    if (this.#isEmpty) return nothingRead;
    const cachedSplit = this.#cachedKinds.kind === 'object';
    const figures = {
      imageInputTokens: tokenFigure(this.#imageInput), imageOutputTokens: tokenFigure(this.#imageOutput),
      cachedAudioTokens: tokenFigure(this.#cachedAudio), cachedImageTokens: tokenFigure(this.#cachedImage),
    };
    if (Object.values(figures).includes('not_a_figure')) return { units: 'not_a_figure', cachedSplit };
    const known = figures as { readonly [Name in keyof typeof figures]: Exclude<TokenFigure, 'not_a_figure'> };
    return {
      cachedSplit, cachedBeside: (countAt(this.#cachedBeside) ?? 0) > 0,
      units: unitsOf({
        ...known, seconds: numberAt(this.#seconds) ?? numberAt(this.#promptSeconds), characters: countAt(this.#characters),
        images: countAt(this.#images), otherToolCalls: countAt(this.#sources),
      }),
    };
  }
}

/** Most usages. */
const nothingRead: ReadUnits = Object.freeze({ units: null, cachedSplit: false });

/** A whole number. Anything else is not counted: these names have other meanings elsewhere. */
function countAt(place: Parameters<typeof tokenFigure>[0]): number | null {
  const figure = tokenFigure(place);
  return typeof figure === 'number' ? figure : null;
}

/** A finite number from 0. */
function numberAt(place: Parameters<typeof tokenFigure>[0]): number | null {
  const text = place.numberText();
  const value = text === null ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : null;
}
