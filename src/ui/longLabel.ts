/** what a side bar of the usual width has place for, with a word behind it */
const labelLength = 26;

/**
 * Of a long name its end, for the label of a row: VS Code would show its beginning, and cut all that is said behind it.
 * The end says whose a host is and which file it is; `well-known.example.` in front of it can be anybody's.
 * @param name may be hostile; what is returned still has to be made plain
 */
export function endOfLong(name: string): string {
  return name.length > labelLength ? `…${name.slice(-labelLength)}` : name;
}
