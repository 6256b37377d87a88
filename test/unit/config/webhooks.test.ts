import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import type { ConfigError } from '../../../src/config/config-error.ts';

const credentials = {
  BUSINESS_TOKEN_URL: 'https://login.example/oauth2/v2.0/token',
  BUSINESS_CLIENT_ID: 'tributary',
  BUSINESS_CLIENT_SECRET: 'hunter2',
};
const read = (env: Readonly<Record<string, string>>) => readConfig(env, () => 'from a file\n');

function mistakesOf(env: Readonly<Record<string, string>>) {
  try {
    read(env);
  } catch (error) {
    return (error as ConfigError).mistakes;
  }
  throw new Error('the settings were accepted');
}

describe('the settings of webhooks', () => {
  test.each([
    'https://layer.example',
    'https://layer.example/below',
    'http://127.0.0.1:4000',
    'http://[::1]:4',
  ])('take %s', (PUBLIC_URL) => {
    expect(read({ ...credentials, PUBLIC_URL })).toMatchObject({ ...credentials, PUBLIC_URL });
  });

  test.each(['http://layer.example', 'ftp://layer.example', 'layer', 'https://layer.example?a=1'])(
    'refuse %s, for PUBLIC_URL and BUSINESS_TOKEN_URL',
    (url) => {
      const mistakes = mistakesOf({ ...credentials, PUBLIC_URL: url, BUSINESS_TOKEN_URL: url });

      expect(new Set(mistakes.map(({ variable }) => variable))).toEqual(
        new Set(['PUBLIC_URL', 'BUSINESS_TOKEN_URL']),
      );
    },
  );

  test('read the secret from a file, too, and never show it', () => {
    const { BUSINESS_CLIENT_SECRET: _secret, ...others } = credentials;
    const env = { ...others, PUBLIC_URL: 'https://layer.example', BUSINESS_CLIENT_SECRET_FILE: '/secret' };

    expect(read(env).BUSINESS_CLIENT_SECRET).toBe('from a file');
    expect(JSON.stringify(mistakesOf({ ...credentials, PUBLIC_URL: 'x' }))).not.toContain('hunter2');
  });
});
