// Loaded into a process of the layer before all else, it tells its parent what only the process itself knows.
let [rejections, warnings] = [0, []];
process.on('unhandledRejection', () => {
  rejections += 1;
});
process.on('warning', ({ name, message }) => warnings.push(`${name}: ${message}`));

process.on('message', () => {
  globalThis.gc();
  const resources = process.getActiveResourcesInfo();
  process.send({
    heapBytes: process.memoryUsage().heapUsed,
    sockets: resources.filter((kind) => kind === 'TCPSocketWrap').length,
    timers: resources.filter((kind) => kind === 'Timeout').length,
    rejections,
    warnings,
  });
});
// Nobody who could ask keeps it running.
process.channel.unref();
