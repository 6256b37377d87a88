import type { Dialect } from '../../business/dialect.ts';
import { createFileAddresses, type FileAddresses } from '../../business/files.ts';
import type { RecentWrites } from '../../business/reading/reads.ts';
import type { Config } from '../../config/config.ts';
import { InputError } from '../../errors.ts';
import type { FileCalls } from '../../http/file-calls.ts';
import { requireScopes } from '../../server/guard/authorization.ts';
import { filesPath } from '../../server/paths.ts';
import type { OpenFile } from '../../server/transports/files/files.ts';
import type { AreaCredentials } from '../credentials.ts';

interface ConfiguredFiles {
  readonly addresses: FileAddresses;
  readonly maxUploadBytes: number;
  /** Opens the file of an address for the caller that it was made for. */
  readonly open: OpenFile;
}

interface FileAccess {
  readonly secrets: readonly string[];
  readonly calls: FileCalls;
  readonly credentials: AreaCredentials;
  readonly dialect: Dialect;
  readonly recentWrites: Pick<RecentWrites, 'mark' | 'markOf'>;
}

/** Files of area A, with the settings. */
export function createConfiguredFiles(
  config: Config,
  { secrets, calls, credentials, dialect, recentWrites }: FileAccess,
): ConfiguredFiles {
  const addresses = createFileAddresses({
    secrets,
    seconds: config.FILE_URL_SECONDS,
    baseUrl: (config.PUBLIC_URL?.replace(/\/$/, '') ?? '') + filesPath,
    now: Date.now,
  });
  return {
    addresses,
    maxUploadBytes: config.FILE_UPLOAD_MAX_BYTES,
    async open({ sealed, caller, headers: given, body, until }) {
      const address = await addresses.open(sealed);
      const access = credentials.forCaller('business', caller, null);
      if (address === null || address.principal !== access.principal)
        throw new InputError(notForYou, 'FORBIDDEN');
      const { path, name, companyId, isReplaceable } = address;
      if (body === null) {
        const readsPrimary = caller.readsPrimary || recentWrites.markOf(access.callerKey, companyId) > 0;
        const headers = { ...given, ...(readsPrimary && dialect.primaryReadHeaders) };
        return { ...(await calls.open({ method: 'GET', path, access, headers }, until)), name };
      }
      if (!isReplaceable) throw new InputError('This file cannot be replaced.', 'FORBIDDEN');
      if (caller.verified) requireScopes(config.WRITE_SCOPES, caller.verified, 'an upload');
      const mark = () => recentWrites.mark(access.callerKey, companyId);
      mark();
      const call = { method: 'PATCH', path, access, headers: given, body } as const;
      const opened = await calls.open(call).finally(mark);
      return { ...opened, name };
    },
  };
}

const notForYou =
  'This address works for a short time, and only for the caller whose query returned it. Query the file again, and send the same token.';
