import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { test } from '../../support/layer.ts';

const { recordTypes } = productRecordTypes();

test.for(recordTypes.filter(({ names }) => names).map(({ entitySet }) => entitySet))(
  'the sandbox serves %s, with records to read',
  async (entitySet, { sandbox }) => {
    const path = `/api/v2.0/companies(${sandboxCompanyId})/${entitySet}`;
    const response = await sandbox.send('GET', path);

    expect(response.status, `GET ${path}: add the set to sandbox/business/, and seed it`).toBe(200);
    const { value } = (await response.json()) as { value: readonly unknown[] };
    expect(value.length, `Records of ${entitySet} in sandbox/seed/`).toBeGreaterThan(
      entitySet === 'companyInformation' ? 0 : 1,
    );
  },
);
