/**
 * The figures of one answer by Gemini, which its two interfaces report under different names. Thoughts are counted beside the output and are
 * output; what tools read is counted beside the input and is input.
 */
import { watched, type WatchedMembers, type WatchedValue } from '../../json/watched-value.ts';
import { badUsage, foundUsage, type FoundUsage } from '../found-usage.ts';
import { noTokens } from '../reading.ts';
import { tokenFigure, tokenSum } from '../token-figure.ts';
import { unitsOf } from '../units.ts';
import { Modalities } from './modalities.ts';

export class GeminiUsage {
  readonly input = watched();
  readonly output = watched();
  readonly thoughts = watched();
  readonly cached = watched();
  readonly tools = watched();
  readonly total = watched();
  readonly inputKinds: Modalities;
  readonly outputKinds: Modalities;
  readonly cachedKinds: Modalities;
  readonly toolKinds: Modalities;
  readonly place: WatchedValue;

  /** `kinds`: how a list of modalities names their tokens and them. `named`: the members of the object, under the names they have there. */
  constructor(kinds: ConstructorParameters<typeof Modalities>, named: (figures: GeminiUsage) => WatchedMembers) {
    this.inputKinds = new Modalities(...kinds);
    this.outputKinds = new Modalities(...kinds);
    this.cachedKinds = new Modalities(...kinds);
    this.toolKinds = new Modalities(...kinds);
    this.place = watched(named(this));
  }

  /** Null: it reports none. `maps`: uses of a tool that no field of a record stands for. */
  read(maps: number): FoundUsage | null {
    const { kind, complete } = this.place;
    if (!complete || kind === 'null') return null;
    if (kind !== 'object') return badUsage;
    const [into, read, out, kept] = [this.inputKinds.read(), this.toolKinds.read(), this.outputKinds.read(), this.cachedKinds.read()];
    const units = {
      imageInputTokens: tokenSum(into.image, read.image), imageOutputTokens: out.image, cachedAudioTokens: kept.audio, cachedImageTokens: kept.image,
    };
    if (Object.values(units).includes('not_a_figure')) return badUsage;
    return foundUsage({
      ...noTokens, input: tokenSum(tokenFigure(this.input), tokenFigure(this.tools)),
      output: tokenSum(tokenFigure(this.output), tokenFigure(this.thoughts)), cached: tokenFigure(this.cached),
      reasoning: tokenFigure(this.thoughts), audioInput: tokenSum(into.audio, read.audio), audioOutput: out.audio,
    }, null, tokenFigure(this.total), {
      units: unitsOf({ ...units as { readonly [Name in keyof typeof units]: number | null }, otherToolCalls: maps }),
      cachedSplit: this.cachedKinds.place.kind === 'array',
    });
  }
}
