import type { Config } from '../config/config.ts';

type Ports = Readonly<Record<string, number | 'off'>>;

/** Handles that a server could not listen: names the setting to change, of those in `ports`. Throws always. */
export const namePort =
  (ports: Ports) =>
  (error: unknown): never => {
    const { code, port, syscall } = error as NodeJS.ErrnoException & { readonly port?: number };
    const settings = Object.entries(ports).filter(([, given]) => given === port);
    const setting = settings.map(([name]) => name).join(' or ');
    if (setting === '' || syscall !== 'listen') throw error;
    if (code === 'EADDRINUSE')
      throw new Error(`Port ${port} is in use. Set ${setting} to another port, or to 0 for a free one.`);
    if (code === 'EACCES')
      throw new Error(`This process may not listen on port ${port}. Set ${setting} to 1024 or more.`);
    throw error;
  };

/** The same for the ports of the graph and of probes. */
export const namePorts = ({ PORT, ADMIN_PORT }: Config) => namePort({ 'PORT or --port': PORT, ADMIN_PORT });
