/** Amounts in words. */

/** @param {number} many @param {string} unit */
export const count = (many, unit) => `${many} ${unit}${many === 1 ? '' : 's'}`;

/** @param {number} bytes */
export const formatBytes = (bytes) =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1_000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;
