import type { Call } from './http.ts';
import { readParameters } from './http.ts';
import { Refusal } from './refusal.ts';

/** Requires the api-version of an area (Versioning); how a wrong one is refused: gap, see docs/upstream.md. */
export function expectVersion(call: Call, version: string): void {
  const given = readParameters(call.query).get('api-version');
  if (given === undefined || given === '') {
    throw new Refusal(
      400,
      'MissingApiVersionParameter',
      'The api-version query parameter (?api-version=) is required.',
    );
  }
  if (given !== version) {
    throw new Refusal(
      400,
      'InvalidApiVersionParameter',
      `The api-version '${given}' is invalid. The supported version is '${version}'.`,
      { target: 'api-version' },
    );
  }
}
