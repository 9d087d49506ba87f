/** The words of a cloud's meter: which of them name the model, and which say where, how and in what unit it ran. */

export interface MeterWord {
  readonly text: string;
  /** `aside`: no part of a model's name. `modality`: what goes in or comes out, or a part of a model's name. */
  readonly sort: 'aside' | 'modality' | 'name';
}

/** Words of where, how and in what unit a model ran. */
const asides = new Set((
  'tokens token count counts input inputs inp inpt inpu output outputs outp outpt opt out cached cache cchd cd caching read write '
  + 'rd wr glbl gl global regnl regional rgnl dzone dz datazone data zone cross region geo mantle standard std batch bat flex flx fl priority pp '
  + 'provisioned long context shortco longco shco loco lctx sctx longctx shortctx ctx short reasoning for generate content 1h 5m '
  + 'predictions prediction online models model units 1k 1m mp on demand ondemand in ga inputtokencount outputtokencount '
  + 'cachereadinputtokencount cachewriteinputtokencount'
).split(' '));
const charged = /^(?:inpt?|input|out|outpt?|output|opt|tokens?|count|cached?|batch)$/i;
const modalities = new Set('text txt audio aud image img video thinking'.split(' '));
/** Abbreviations of words in models' names. */
const whole: Readonly<Record<string, string>> = { rt: 'realtime', prvw: 'preview' };

/** In their order. Words that are written together stand apart where one of them says what is charged, and a release from what it is of. */
export function wordsOfMeter(text: string): MeterWord[] {
  return text.split(/[\s_,/()–-]+/).filter((word) => word !== '').flatMap((word) => {
    if (asides.has(word.toLowerCase())) return [word];
    const parts = partsOf(word);
    return parts.some((part) => charged.test(part)) ? parts : [word.replace(/([a-z]{2})((?:0[1-9]|1[0-2])[0-3]\d)$/, '$1 $2')];
  }).map((word) => {
    const lower = word.toLowerCase();
    return { text: whole[lower] ?? word, sort: asides.has(lower) ? 'aside' : modalities.has(lower) ? 'modality' : 'name' };
  });
}

/** `CacheWrite1hInput` → `Cache`, `Write`, `1h`, `Input`. */
function partsOf(word: string): string[] {
  return word.replaceAll(/([a-z\d])([A-Z][a-z])/g, '$1 $2').replaceAll(/([a-z]{2})(\d)/g, '$1 $2').split(' ');
}
