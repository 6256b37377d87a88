import DataLoader from 'dataloader';
import type { ExtensionContext } from '../graph/extension.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { getOrCompute } from '../runtime/memo.ts';

declare module '../graph/context.ts' {
  interface Context {
    readonly extension: ExtensionContext;
  }
}

/** The context of extensions for one operation. `isQuery`: whether values stay loaded, as nothing is written between reads. */
export function createExtensionContext(
  client: Pick<UpstreamClient, 'send'>,
  access: Access,
  isQuery: boolean,
): ExtensionContext {
  // biome-ignore lint/suspicious/noExplicitAny: each loader has its own types.
  const loaders = new Map<string, DataLoader<any, any>>();
  return {
    business: {
      async get(strings, ...values) {
        const path = String.raw({ raw: strings.map(encodeURI) }, ...values.map(encodeValue));
        return (await client.send({ method: 'GET', path, access })).body;
      },
    },
    loader: (name, batch) =>
      getOrCompute(loaders, name, () => {
        const loader: DataLoader<never, unknown> = new DataLoader(
          (keys) => {
            if (!isQuery) loader.clearAll();
            return batch(keys);
          },
          { maxBatchSize },
        );
        return loader;
      }),
  };
}

// As many comparisons fit into the URL of a call.
const maxBatchSize = 50;

type PathValue = Parameters<ExtensionContext['business']['get']>[1];

/** Also what `encodeURIComponent` leaves and OData reads as syntax: quotation marks and parentheses. */
function encodeValue(value: PathValue): string {
  if (typeof value === 'object')
    return Object.entries(value)
      .flatMap(([column, texts]) =>
        texts.map((text) => `${encodeValue(column)}%20eq%20'${encodeValue(text)}'`),
      )
      .join('%20or%20');
  return encodeURIComponent(String(value).replaceAll("'", "''")).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
