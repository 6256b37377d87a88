/** Returns the first `max` UTF-16 code units of a text, or one fewer if the cut would split a surrogate pair. */
export const cutText = (text: string, max: number): string =>
  text.slice(0, text.length > max && /[\ud800-\udbff]/.test(text.charAt(max - 1)) ? max - 1 : max);
