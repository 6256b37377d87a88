import DataLoader from 'dataloader';
import type { ExtensionContext } from '../../graph/extension.ts';
import type { Access } from '../../http/auth/access.ts';
import type { UpstreamClient } from '../../http/client.ts';
import { type Deadline, startDeadline } from '../../runtime/deadline.ts';
import { getOrCompute } from '../../runtime/memo.ts';

declare module '../../graph/context.ts' {
  interface Context {
    readonly extension: ExtensionOperation;
  }
}

/** The state of extensions in one operation. */
export interface ExtensionOperation {
  readonly context: ExtensionContext;
  /** Awaits the value of a resolver. Rejects when the deadline of the operation expires; in a mutation, after 30 s. */
  settle(value: unknown): unknown;
}

const maxMutationMs = 30_000;

/** `deadline` is null in mutations. A mutation keeps no loaded values, because its fields write between loads. */
export function createExtensionContext(
  client: Pick<UpstreamClient, 'send'>,
  access: Access,
  deadline: Deadline | null,
): ExtensionOperation {
  // biome-ignore lint/suspicious/noExplicitAny: each loader has its own types.
  const loaders = new Map<string, DataLoader<any, any>>();
  const context: ExtensionContext = {
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
            if (deadline === null) loader.clearAll();
            return batch(keys);
          },
          { maxBatchSize },
        );
        return loader;
      }),
  };

  return {
    context,
    settle(value) {
      if (!(value instanceof Promise)) return value;
      const own = deadline === null ? startDeadline(maxMutationMs) : null;
      let unsubscribe = () => {};
      const late = new Promise<never>((_resolve, reject) => {
        unsubscribe =
          (deadline ?? own)?.onExpire(() => reject(new Error('The resolver took too long.'))) ?? unsubscribe;
      });
      return Promise.race([value, late]).finally(() => {
        unsubscribe();
        own?.end();
      });
    },
  };
}

// A filter with this many comparisons fits into a URL.
const maxBatchSize = 50;

type PathValue = Parameters<ExtensionContext['business']['get']>[1];

/** Also encodes what `encodeURIComponent` keeps but OData reads as syntax: quotation marks and parentheses. */
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
