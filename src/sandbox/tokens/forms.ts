import type { Call } from '../http.ts';
import { Refusal } from '../refusal.ts';

/** The form of a request for a token; throws the refusal of anything else. */
export function readForm(call: Call): URLSearchParams {
  if (call.method !== 'POST') {
    throw new Refusal(405, 'invalid_request', 'A token is asked for by POST.', {
      headers: { allow: 'POST' },
    });
  }
  if (call.isBodyTooLarge) throw new Refusal(413, 'invalid_request', 'The form is too large.');
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(call.headers['content-type'] ?? '')) {
    throw refused('invalid_request', 'The content type must be application/x-www-form-urlencoded.');
  }
  const form = new URLSearchParams(call.body);
  if (hasRepeated(form)) throw refused('invalid_request', 'Each parameter may come once.');
  return form;
}

/** True where a parameter comes twice, which RFC 6749, section 3.1, forbids. */
export function hasRepeated(parameters: URLSearchParams): boolean {
  return new Set(parameters.keys()).size < parameters.size;
}

/** A field that a form must have. */
export function expectText(form: URLSearchParams, name: string): string {
  const text = form.get(name);
  if (!text) throw refused('invalid_request', `The form needs a '${name}'.`);
  return text;
}

/** What is wrong with a form, by the codes of RFC 6749, section 5.2. */
export function refused(error: string, description: string): Refusal {
  return new Refusal(400, error, description);
}
