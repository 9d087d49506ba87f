/** Why the product could not start, as one sentence for the operator. Ends the start with exit code 1. */
export class StartFault extends Error {
  constructor(sentence: string) {
    super(sentence);
    this.name = 'StartFault';
  }
}
