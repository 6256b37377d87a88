import type { Answer } from './answer.ts';

// Of a shorter token only whole words are hidden: it may be a word, and is a sandbox's at best.
const shortToken = 8;

/**
 * What to do to an upstream's own texts before a caller sees them: no address, no token. Programs decide by a `code`: it
 * is changed only by a token that can be no word.
 */
export function discretion(url: string, token: string): Answer['discreet'] {
  const { hostname, port } = new URL(url);
  const name = literally(hostname);
  const address = new RegExp(port === '' ? name : `${name}(:${port})?`, 'gi');
  const edge = token.length < shortToken ? ['(?<!\\w)', '(?!\\w)'] : ['', ''];
  const secret = new RegExp(edge.join(literally(token)), 'g');
  return (text, name) => {
    if (name !== 'code') return text.replace(address, '[upstream]').replace(secret, '[token]');
    return token.length < shortToken ? text : text.replace(secret, '[token]');
  };
}

const literally = (text: string) => text.replace(/[^\w-]/g, '\\$&');
