import { spawnSync } from 'node:child_process';

/** Whether this machine has a Redis server to start. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
