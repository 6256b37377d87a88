const decimalPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Formats a number, or its text, as plain decimal text without exponent, leading zeros or `+`. Keeps every digit. Returns null
 * for other values.
 */
export function formatDecimal(value: unknown): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = String(value);
  // Fast path: most JavaScript numbers print without exponent.
  if (Number.isFinite(value) && !text.includes('e')) return text;
  const match = decimalPattern.exec(text);
  if (!match) return null;
  const [, sign = '', digits = '', fraction = '', exponent] = match;
  const whole = digits.replace(/^0+(?=\d)/, '');
  if (exponent === undefined) return `${sign}${whole}${fraction && '.'}${fraction}`;
  return shiftDecimalPoint(sign, whole, fraction, Number(exponent));
}

function shiftDecimalPoint(sign: string, whole: string, fraction: string, places: number): string {
  const digits = whole + fraction;
  const point = whole.length + places;
  const padded = digits.padStart(digits.length - Math.min(0, point - 1), '0').padEnd(Math.max(point, 1), '0');
  const at = Math.max(point, 1);
  const before = padded.slice(0, at).replace(/^0+(?=\d)/, '');
  const after = padded.slice(at);
  return `${sign}${before}${after && '.'}${after}`;
}
