import type { GraphQLObjectType } from 'graphql';
import { describe, expect } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { healthTexts } from '../../../src/health/health-texts.ts';
import { type TestLayer, test } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const html = '<p>One &amp; <b onclick="f()">two</b></p><script>f()</script>';
const expected = { raw: html, html: '<p>One &amp; <b>two</b></p>', text: 'One & two', usual: html };
const formats = (field: string) =>
  `raw: ${field}(format: RAW) html: ${field}(format: HTML) text: ${field}(format: TEXT) usual: ${field}`;

const set = (sandbox: TestSandbox, trackingId: string, properties: object) =>
  sandbox.send('POST', '/sandbox/events', { trackingId, properties });
const readEvent = async (layer: TestLayer, selection: string, headers = {}) =>
  layer.query(`{ healthEvent(trackingId: "TX_1-ALL") { ${selection} } }`, {}, headers);

describe('the format of a text', () => {
  const properties = {
    title: html,
    header: html,
    summary: html,
    description: html,
    reason: html,
    additionalInformation: { message: html },
    article: { articleContent: html },
    faqs: [{ question: html, answer: html }],
    recommendedActions: { message: html, actions: [{ actionText: html }] },
    impact: [{ impactedRegions: [{ updates: [{ summary: html }] }] }],
  };

  test.for(['title', 'header', 'summary', 'description', 'reason'])(
    'is that of the argument, of %s',
    async (field, { layer, sandbox }) => {
      await set(sandbox, 'TX_1-ALL', properties);

      const { data, errors } = await readEvent(layer, formats(field));

      expect(errors).toBeUndefined();
      expect(data.healthEvent).toEqual(expected);
    },
  );

  test('is that of the argument, of texts below the event', async ({ layer, sandbox }) => {
    await set(sandbox, 'TX_1-ALL', properties);

    const { data, errors } = await readEvent(
      layer,
      `additionalInformation { ${formats('message')} }
       article { ${formats('articleContent')} }
       questions: faqs { ${formats('question')} }
       answers: faqs { ${formats('answer')} }
       recommendedActions { ${formats('message')} actions { ${formats('actionText')} } }
       impact { impactedRegions { updates { ${formats('summary')} } } }`,
    );

    expect(errors).toBeUndefined();
    expect(data.healthEvent).toEqual({
      additionalInformation: expected,
      article: expected,
      questions: [expected],
      answers: [expected],
      recommendedActions: { ...expected, actions: [expected] },
      impact: [{ impactedRegions: [{ updates: [expected] }] }],
    });
  });

  test('is that of a variable, and null stays null', async ({ layer, sandbox }) => {
    await set(sandbox, 'TX_1-ALL', { title: html });
    const query =
      'query ($format: TextFormat!) { healthEvent(trackingId: "TX_1-ALL") { title(format: $format) summary(format: $format) } }';

    for (const [format, title] of [
      ['RAW', expected.raw],
      ['HTML', expected.html],
      ['TEXT', expected.text],
    ])
      expect((await layer.query(query, { format })).data.healthEvent).toEqual({ title, summary: null });
    expect((await layer.query(query, { format: 'MARKDOWN' })).errors).toHaveLength(1);
  });

  test('is that of the argument in lists, for texts of a megabyte and for withheld ones', async ({
    layer,
    sandbox,
  }) => {
    await set(sandbox, 'TX_2-LNG', { title: 'Long', summary: '<p>One &amp; two</p>'.repeat(50_000) });
    await set(sandbox, 'SA_5-XYZ', { summary: html });

    const { data, errors } = await layer.query(
      `{ healthEvents(filter: { trackingId: { in: ["TX_2-LNG", "SA_5-XYZ"] } }) { nodes { trackingId summary(format: TEXT) } }
         advisory: healthEvent(trackingId: "SA_5-XYZ") { summary(format: HTML) } }`,
    );

    expect(errors).toBeUndefined();
    const byId = new Map<string, string>(
      data.healthEvents.nodes.map((one: { trackingId: string; summary: string }) => [
        one.trackingId,
        one.summary,
      ]),
    );
    expect(byId.get('TX_2-LNG')).toBe(Array(50_000).fill('One & two').join('\n\n'));
    expect(byId.get('SA_5-XYZ')).toBe('One & two');
    expect(data.advisory.summary).toBe(expected.html);
  });

  test('changes nothing of who may read a withheld text', async ({ layer }) => {
    const { data, errors } = await layer.query(
      '{ healthEvent(trackingId: "SA_5-XYZ") { title(format: TEXT) summary(format: TEXT) } }',
      {},
      { authorization: 'Bearer limited-1' },
    );

    expect(data.healthEvent).toEqual({ title: expect.any(String), summary: null });
    expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
  });
});

test('every text that an upstream may write as HTML takes a format, and no other field does', () => {
  const types = Object.values(createSchema().getTypeMap());
  const found = types.flatMap((type) =>
    'getFields' in type
      ? Object.values((type as GraphQLObjectType).getFields())
          .filter(({ args = [] }) => args.some(({ name }) => name === 'format'))
          .map(({ name }) => `${type.name}.${name}`)
      : [],
  );
  const listed = Object.entries(healthTexts).flatMap(([type, fields]) =>
    fields.map((name) => `${type}.${name}`),
  );

  expect(found.sort()).toEqual(listed.sort());
});
