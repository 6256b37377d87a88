/** The response to an OData JSON batch, as bytes: `answerTo` gives the body of each part, from its address and `Prefer`. */
export async function answerBatch(request, answerTo) {
  const { requests } = JSON.parse(Buffer.concat(await request.toArray()));
  const responses = requests.map(({ id, url, headers }) => {
    const body = answerTo(url, headers?.prefer ?? headers?.Prefer ?? '');
    return { id, status: 200, headers: { 'content-type': 'application/json' }, body };
  });
  return Buffer.from(JSON.stringify({ responses }));
}
