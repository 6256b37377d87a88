/** Why nothing can be released; nothing has been written yet. */
export class ReleaseError extends Error {}

/** The changelog with what is unreleased under the version, and an empty section Unreleased above it. */
export function addVersion(changelog, version, date) {
  const heading = '## Unreleased\n';
  const at = changelog.indexOf(`\n${heading}`);
  if (at < 0) throw new ReleaseError('CHANGELOG.md has no section "## Unreleased". Add one.');
  const end = at + 1 + heading.length;
  const [unreleased] = changelog.slice(end).split(/^## /m);
  if (unreleased.trim() === '')
    throw new ReleaseError('The section Unreleased of CHANGELOG.md is empty: nothing to release.');
  if (changelog.includes(`\n## ${version} `))
    throw new ReleaseError(`CHANGELOG.md has a section ${version} already. Take the next version.`);
  return `${changelog.slice(0, end)}\n## ${version} (${date})\n${changelog.slice(end)}`;
}

/** A package.json or package-lock.json with another version of the package itself. */
export function withVersion(text, version) {
  const content = JSON.parse(text);
  content.version = version;
  if (content.packages) content.packages[''].version = version;
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** A package.json or package-lock.json without what is only for development. */
export function withoutDevelopment(text) {
  const { devDependencies: _, packages, ...content } = JSON.parse(text);
  if (packages) {
    const { devDependencies: _, ...own } = packages[''];
    const shipped = Object.entries(packages).filter(([place, { dev }]) => place !== '' && !dev);
    content.packages = { '': own, ...Object.fromEntries(shipped) };
  }
  return JSON.stringify(content);
}
