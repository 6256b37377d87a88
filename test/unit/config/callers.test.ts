import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import type { ConfigError } from '../../../src/config/config-error.ts';

type Env = Readonly<Record<string, string>>;

const read = (env: Env, files: Env = {}) =>
  readConfig(env, (path) => {
    if (files[path] === undefined) throw new Error('ENOENT');
    return files[path];
  });

function mistakesOf(env: Env, files: Env = {}): readonly string[] {
  try {
    read(env, files);
  } catch (error) {
    return (error as ConfigError).message.split('\n');
  }
  return [];
}

const verified = {
  JWT_ISSUER: 'https://issuer.example',
  JWT_AUDIENCE: 'api://tributary',
  JWT_JWKS_URL: 'https://issuer.example/keys',
};
const credentialsOf = (area: string) => ({
  [`${area}_TOKEN_URL`]: 'https://login.example/token',
  [`${area}_CLIENT_ID`]: 'tributary',
  [`${area}_CLIENT_SECRET`]: 'hunter2',
});

describe.each(['BUSINESS', 'MANAGEMENT'])('tokens of the layer for %s', (area) => {
  const auth = `${area}_AUTH`;

  test.each(['client-credentials', 'on-behalf-of'])('take an address, an id and a secret with %s', (mode) => {
    expect(mistakesOf({ [auth]: mode })).toEqual(
      ['TOKEN_URL', 'CLIENT_ID', 'CLIENT_SECRET'].map(
        (name) => `${area}_${name} is required when ${auth} is \`client-credentials\` or \`on-behalf-of\`.`,
      ),
    );
    expect(mistakesOf({ [auth]: mode, ...credentialsOf(area) })).toEqual([]);
  });

  test.each(['0.0.0.0'])('are given to verified callers alone where the layer listens on %s', (HOST) => {
    const env = { [auth]: 'client-credentials', ...credentialsOf(area), HOST };

    expect(mistakesOf(env)).toEqual(
      Object.keys(verified).map(
        (name) =>
          `${name} is required when ${auth} is \`client-credentials\` or \`on-behalf-of\` and HOST is not a loopback address.`,
      ),
    );
    expect(mistakesOf({ ...env, ...verified })).toEqual([]);
    expect(mistakesOf({ HOST })).toEqual([]);
  });
});

describe('verification', () => {
  test.each(Object.keys(verified))('takes all of its settings: %s alone does nothing', (name) => {
    const env = { [name]: verified[name as keyof typeof verified] };

    expect(mistakesOf(env)).toEqual(
      Object.keys(verified)
        .filter((other) => other !== name)
        .map((other) => `${other} is required when ${name} is set.`),
    );
  });

  test.each(['WRITE_SCOPES', 'OPERATE_SCOPES'])('is what %s need', (name) => {
    expect(mistakesOf({ [name]: 'a' })).toHaveLength(3);
    expect(mistakesOf({ [name]: 'a', ...verified })).toEqual([]);
  });

  test.each([' https://issuer.example', 'https://issuer.example\n'])(
    'has no issuer or audience with blanks around it, such as %j',
    (value) => {
      expect(mistakesOf({ ...verified, JWT_ISSUER: value, JWT_AUDIENCE: value })).toEqual(
        ['JWT_ISSUER', 'JWT_AUDIENCE'].map(
          (name) =>
            `${name} is ${JSON.stringify(value)}: expected text on one line, without blanks around it.`,
        ),
      );
    },
  );

  test('has its keys from a safe place', () => {
    expect(mistakesOf({ ...verified, JWT_JWKS_URL: 'http://issuer.example/keys' })).toHaveLength(1);
    expect(mistakesOf({ ...verified, JWT_JWKS_URL: 'http://127.0.0.1:4100/keys' })).toEqual([]);
  });

  test('reads scopes by comma or space', () => {
    expect(read({ ...verified, WRITE_SCOPES: 'a, b  c,,d' }).WRITE_SCOPES).toEqual(['a', 'b', 'c', 'd']);
    expect(mistakesOf({ ...verified, WRITE_SCOPES: '"a"' })).toHaveLength(1);
  });
});

describe('origins', () => {
  test.each(['*', 'https://*.example.com'])('are not %s', (CORS_ORIGINS) => {
    expect(mistakesOf({ CORS_ORIGINS })).toHaveLength(1);
  });
});

describe('trusted documents', () => {
  const env = { TRUSTED_DOCUMENTS: '/manifest.json' };

  test('are read from their manifest', () => {
    expect(read(env, { '/manifest.json': '{"a":"{ b }"}' }).TRUSTED_DOCUMENTS).toEqual({
      a: '{ b }',
    });
  });

  test.each(['[]', '{', '{"a":1}'])('are not in a manifest like %j', (text) => {
    const [mistake, ...others] = mistakesOf(env, { '/manifest.json': text });

    expect(mistake).toContain('TRUSTED_DOCUMENTS');
    expect(others).toEqual([]);
  });
});
