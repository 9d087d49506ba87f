/** Tokens of sound and of images in a list of counts by kind of content, as Google writes it in each of its APIs. */
import { watched, watchedEach, type ElementTally } from '../../json/watched-value.ts';
import { tokenFigure, type TokenFigure } from '../token-figure.ts';

export class Modalities implements ElementTally {
  readonly #words: { readonly audio: string; readonly image: string };
  readonly #modality = watched();
  readonly #count = watched();
  readonly element;
  readonly place = watchedEach(this);
  #audio: TokenFigure = null;
  #image: TokenFigure = null;

  /** `count`: the member that holds the number; `words`: how the API calls the kinds. */
  constructor(count: string, words: { readonly audio: string; readonly image: string }) {
    this.#words = words;
    this.element = watched({ modality: this.#modality, [count]: this.#count });
  }

  begin(): void {
    this.#audio = this.#image = null;
  }

  ended(): void {
    if (this.#modality.isString(this.#words.audio)) this.#audio = tokenFigure(this.#count);
    else if (this.#modality.isString(this.#words.image)) this.#image = tokenFigure(this.#count);
  }

  read(): { readonly audio: TokenFigure; readonly image: TokenFigure } {
    return this.place.kind === 'array' ? { audio: this.#audio, image: this.#image } : { audio: null, image: null };
  }
}
