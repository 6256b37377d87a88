import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TlsOptions } from 'node:tls';

/** An authority of the test's own, with certificates good and bad. They take `openssl` on this machine. */
export function makeCertificates() {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const at = (name: string) => join(folder, name);
  const openssl = (command: string) =>
    execFileSync('openssl', command.split(' '), { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes';
  for (const name of ['authority', 'foreigners'])
    openssl(`req -x509 ${newKey} -keyout ${name}.key -out ${name}.pem -subj /CN=Authority -days 2`);
  const issue = (name: string, host: string, authority: string, days: number) => {
    openssl(
      `req -new ${newKey} -keyout ${name}.key -out ${name}.csr -subj /CN=${host} -addext subjectAltName=DNS:${host}`,
    );
    openssl(
      `x509 -req -in ${name}.csr -CA ${authority}.pem -CAkey ${authority}.key -CAcreateserial -copy_extensions copy -days ${days} -out ${name}.pem`,
    );
    return { key: readFileSync(at(`${name}.key`), 'utf8'), cert: readFileSync(at(`${name}.pem`), 'utf8') };
  };

  return {
    /** The authority's certificate, as a file. */
    authority: at('authority.pem'),
    good: issue('good', 'localhost', 'authority', 2),
    expired: issue('expired', 'localhost', 'authority', -1),
    /** For another host. */
    misnamed: issue('misnamed', 'elsewhere.example', 'authority', 2),
    /** Signed by an authority that goes by the same name. */
    foreign: issue('foreign', 'localhost', 'foreigners', 2),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** A server over TLS that gives every request the same answer, and keeps what it was sent. */
export async function startSecureServer(options: TlsOptions, answer: unknown) {
  const requests: string[] = [];
  const server = createServer(options, async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    requests,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
