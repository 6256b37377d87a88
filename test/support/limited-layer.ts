import { onTestFinished } from 'vitest';
import { startIssuer } from './issuer.ts';
import { startTestLayer } from './layer.ts';
import { startStub } from './stub.ts';

const query = '{ __typename }';

/** A layer that lets each verified caller send one request a second, before an upstream that knows nothing. */
export async function startLimitedLayer(settings: Readonly<Record<string, string>> = {}) {
  const [issuer, stub] = [await startIssuer(), await startStub(() => ({ status: 404, body: {} }))];
  const layer = await startTestLayer(stub.url, {
    MAX_REQUESTS_PER_SECOND: '1',
    ADMIN_PORT: '0',
    ...settings,
    ...issuer.settings,
  });
  onTestFinished(async () => {
    await layer.stop();
    issuer.stop();
    stub.stop();
  });
  return { issuer, layer };
}

export const post = (url: string, token: string) =>
  fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });

export const statusesOf = async (url: string, tokens: readonly string[]) => {
  const statuses = [];
  for (const token of tokens) statuses.push((await post(url, token)).status);
  return statuses;
};
