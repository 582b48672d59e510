/** Numbers from 0 to 1 that are the same for a seed each time (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A text with one to four characters changed, put in or taken out. */
export function mutate(text: string, alphabet: string, random: () => number): string {
  const characters = [...text];
  for (let changes = 1 + Math.floor(random() * 4); changes > 0; changes -= 1) {
    const place = Math.floor(random() * (characters.length + 1));
    const character = alphabet[Math.floor(random() * alphabet.length)] ?? '';
    characters.splice(place, random() < 0.7 ? 1 : 0, ...(random() < 0.7 ? [character] : []));
  }
  return characters.join('');
}
