import { describe, expect, test } from 'vitest';
import { compileFilter, parseFilter } from '../../../sandbox/business/query/filter.ts';
import { customers } from '../../../sandbox/business/sets/customers.ts';

const record = {
  id: 'f2a5738a-44e3-4a11-bb43-000d3a2feca1',
  number: 'C10000',
  displayName: "O'Dwyer & Sons",
  city: '',
  blocked: ' ',
  creditLimit: 1500.5,
  taxLiable: true,
  currencyId: '00000000-0000-0000-0000-000000000000',
  lastModifiedDateTime: '2025-03-05T19:19:22.273Z',
};

const compiled = (filter: string) => compileFilter(parseFilter(filter), customers);
const holds = (filter: string) => compiled(filter)(record);

describe('a filter that holds', () => {
  test.each([
    "number eq 'C10000'",
    "number gt 'C09999' and number lt 'C10001'",
    "displayName eq 'O''Dwyer & Sons'",
    "blocked eq ' '",
    'creditLimit lt 1.6e3',
    'not (taxLiable eq false)',
    'id eq F2A5738A-44E3-4A11-BB43-000D3A2FECA1',
    'currencyId eq null',
    'city eq null',
    'lastModifiedDateTime eq 2025-03-05T20:19:22.273+01:00',
    'lastModifiedDateTime le 2025-03-05T19:19:22.2730000Z',
    "contains(displayName,'Dwyer')",
    "startswith(displayName,'O''')",
    "endswith( displayName , 'Sons' )",
    "(number eq 'A' or number eq 'C10000') and taxLiable eq true",
    "number eq 'C10000' or number eq 'A' and taxLiable eq false",
    "not (taxLiable eq true) or number eq 'C10000'",
    "displayName eq '''' or taxLiable eq true",
    'creditLimit eq 1500.5000000000000000000000',
    'creditLimit lt 1500.50000000000000000001',
  ])('%s', (filter) => {
    expect(holds(filter)).toBe(true);
  });
});

describe('a filter that does not hold', () => {
  test.each([
    "number eq 'c10000'",
    'creditLimit gt null',
    'city ne null',
    "(number eq 'C10000' or number eq 'A') and taxLiable eq false",
    'lastModifiedDateTime gt 2025-03-05T19:19:22.273Z',
    'creditLimit eq 1500.50000000000000000001',
  ])('%s', (filter) => {
    expect(holds(filter)).toBe(false);
  });
});

describe('a filter that cannot be read', () => {
  test.each([
    ['', 'BadRequest_NotFound'],
    ["number eq 'C10000", 'BadRequest_NotFound'],
    ["eq 'A'", 'BadRequest_NotFound'],
    ["(number eq 'A'", 'BadRequest_NotFound'],
    ["number eq 'A' number eq 'B'", 'BadRequest_NotFound'],
    ['lastModifiedDateTime gt 2025-02-03T25:00:00Z', 'BadRequest_NotFound'],
    ['employees/any(e:e/number eq 1)', 'BadRequest_NotFound'],
    ["not number eq 'A'", 'BadRequest'],
    ['tolower(number)', 'BadRequest_NotFound'],
    ["constructor(number,'x')", 'BadRequest_NotFound'],
    ['lastModifiedDateTime gt 2025-02-30T00:00:00Z', 'BadRequest_NotFound'],
    ["colour eq 'red'", 'BadRequest'],
    ["creditLimit eq '5'", 'BadRequest'],
    ["id eq 'f2a5738a-44e3-4a11-bb43-000d3a2feca1'", 'BadRequest'],
    ['lastModifiedDateTime gt 2025-01-01', 'BadRequest'],
    ["contains(creditLimit,'1')", 'BadRequest'],
    [`${'('.repeat(4_000)}taxLiable eq true`, 'BadRequest'],
  ])('%s', (filter, code) => {
    expect(() => compiled(filter)).toThrow(expect.objectContaining({ status: 400, code }));
  });
});
