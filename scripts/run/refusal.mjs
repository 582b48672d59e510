/** Something that a person has to change first; the message says what. */
export class Refusal extends Error {}
