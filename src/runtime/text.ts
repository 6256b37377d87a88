/** The start of a text, at most `max` UTF-16 code units: one fewer where the cut would split a character. */
export const cutText = (text: string, max: number): string =>
  text.slice(0, text.length > max && /[\ud800-\udbff]/.test(text.charAt(max - 1)) ? max - 1 : max);
