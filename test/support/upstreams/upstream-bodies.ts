// What upstreams answer when all is well, in short: one value of each kind that is read.

export const id = '00000000-0000-4000-8000-000000000001';
const at = '2026-01-01T00:00:00Z';
const related = { id, displayName: 'x', code: 'X' };
export const customer = {
  '@odata.etag': 'W/"1"',
  id,
  number: 'C1',
  displayName: 'x',
  type: 'Company',
  balanceDue: 1.5,
  taxLiable: true,
  paymentTermsId: id,
  blocked: ' ',
  lastModifiedDateTime: at,
};
const line = { lineType: 'Item', itemNo: '1000', quantity: 2, unitOfMeasureId: id };
export const order = {
  '@odata.etag': 'W/"1"',
  id,
  number: 'O1',
  customerId: id,
  postingDate: '2026-01-01',
  status: 'Open',
  totalAmountIncludingTax: 10,
  paymentTerm: related,
  documentLines: [line],
};
export const list = (row: object) => ({ value: [row], '@odata.count': 1, '@odata.nextLink': null });
export const refusal = {
  error: {
    code: 'Oops',
    message: 'x',
    target: 'x',
    details: [{ code: 'x', message: 'x' }],
    additionalInfo: [{ type: 'x', info: { x: 1 } }],
  },
};
export const operation = {
  id: '/x',
  name: 'x',
  status: 'Running',
  startTime: at,
  endTime: at,
  percentComplete: 5,
  operations: [{ name: 'x', status: 'Running' }],
  error: refusal.error,
};
export const instance = {
  id: '/x',
  name: 'app01',
  tags: { x: 'y' },
  properties: {
    status: 'Running',
    health: 'Healthy',
    gatewayPort: 3_300,
    loadBalancerDetails: { id: 'x' },
    vmDetails: [{ type: 'Active', virtualMachineId: 'x', storageDetails: [{ id: 'x' }] }],
    errors: { properties: refusal.error },
  },
  systemData: { createdAt: at },
};
export const event = {
  id: '/x',
  name: 'SI_1',
  properties: {
    title: 'x',
    eventType: 'ServiceIssue',
    isEventSensitive: true,
    priority: 1,
    newRate: 1.5,
    lastUpdateTime: at,
    article: { articleContent: 'x', parameters: { x: 1 } },
    eventTags: ['Final PIR'],
    links: [{ type: 'Button', displayText: { value: 'x' }, parameters: {} }],
    impact: [
      { impactedService: 'x', impactedRegions: [{ impactedRegion: 'x', updates: [{ summary: 'x' }] }] },
    ],
    recommendedActions: { message: 'x', actions: [{ actionText: 'x', groupId: 1 }] },
    faqs: [{ question: 'x' }],
  },
};

export const listed = {
  ...event,
  properties: { title: 'x', status: 'Active', priority: 1, isEventSensitive: true, lastUpdateTime: at },
};
