/** The path below which a page of a layer finds its files. */
export async function filesPathOf(address: string): Promise<string> {
  const html = await (await fetch(address)).text();
  return /\/pages\/[0-9a-f]{8}\//.exec(html)?.[0] ?? '';
}
