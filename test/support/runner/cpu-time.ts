/**
 * What this process has worked since `process.cpuUsage()` returned `before`, in milliseconds. For tests that promise how
 * long work takes: by the clock they would measure what else the machine does. Waits are not counted.
 */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
