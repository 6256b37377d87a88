import { terms } from './csdl/annotations.ts';
import type { Property } from './csdl/model.ts';

/** What stands beside a decimal, and so says which currency it is in. */
export interface DecimalContext {
  readonly hasCurrencyCode: boolean;
  /** Whether it leads to its company, as records do and rows do not. */
  readonly hasCompany: boolean;
  /** `document` or `record`, whose currency it is. */
  readonly owner: string;
}

/** What a decimal is: money names its currency, everything else its unit. Ends a sentence. */
export function unitOf(
  { name, annotations }: Property,
  { hasCurrencyCode, hasCompany, owner }: DecimalContext,
): string {
  const currency = annotations.get(terms.currency);
  if (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)) return `, in the currency ${currency}`;
  const unit = annotations.get(terms.unit);
  if (unit === '%') return ', in per cent';
  if (/percent|prc$|pct|share$/i.test(name)) return ', in per cent';
  // `exchangeRateAmount` and `conversionRate` are no amounts of money.
  if (/rate/i.test(name) && !/generate|rated/i.test(name)) return ', as a rate';
  if (/quantity|qty|inventory|stock|units|count$|weight|volume|hours/i.test(name)) return ', in units';
  const isMoney =
    /amount|price|cost|balance|limit|discount|tax|total|net|gross|value|sum|sales|due|freight|budget|fee|charge|subtotal|revenue|purchases/i.test(
      name,
    );
  if (isMoney && hasCurrencyCode) return `, in the currency of the ${owner}`;
  if (isMoney && hasCompany) return ", in the company's home currency";
  return ', in units that the metadata does not name';
}
