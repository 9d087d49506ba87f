/**
 * Cached tokens by the names that sellers of the open format have of their own: DeepSeek's `prompt_cache_hit_tokens`, Mistral's
 * `num_cached_tokens` and `prompt_token_details`, Moonshot's `cached_tokens`. Parts of the prompt, as in the first wire's own place, which
 * goes before them. Read on declared upstreams alone.
 */
import { watched, type WatchedValue } from '../json/watched-value.ts';
import { tokenFigure, type TokenFigure } from './token-figure.ts';

/** Those places of one usage object. */
export class OwnCachedNames {
  private readonly places = [watched(), watched(), watched(), watched()] as const;
  /** To be watched beside the other members. */
  readonly fields: Readonly<Record<string, WatchedValue>>;

  constructor() {
    const [deepSeek, mistral, mistralDetails, moonshot] = this.places;
    this.fields = {
      prompt_cache_hit_tokens: deepSeek, num_cached_tokens: mistral, prompt_token_details: watched({ cached_tokens: mistralDetails }),
      cached_tokens: moonshot,
    };
  }

  /** The first that is there; one seller has one of them, or the same figure in several. */
  read(): TokenFigure {
    for (const place of this.places) {
      const figure = tokenFigure(place);
      if (figure !== null) return figure;
    }
    return null;
  }
}
