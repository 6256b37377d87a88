import type { Caller } from '../../bearer.ts';
import type { ApiRequest, ApiResponse } from '../../http.ts';
import { emptyResponse } from '../../http.ts';
import type { BusinessAddress } from '../address.ts';
import type { Dialect } from '../dialect.ts';
import { findAddressedRecord } from '../record-responses.ts';
import type { Company, Store, StoredRecord } from '../store.ts';
import { idOf } from '../store.ts';
import { checkCanWrite, checkOptionalIfMatch } from '../writes/preconditions.ts';
import { postInvoice, sendInvoice } from './invoice-posting.ts';
import { shipAndInvoice } from './order-posting.ts';
import type { ActionResult } from './posting-checks.ts';
import { makeInvoice, makeOrder, sendQuote } from './quote-conversion.ts';

/** Carries out an action, or throws an `ApiError` and changes nothing. */
type DocumentAction = (store: Store, company: Company, record: StoredRecord) => ActionResult;

/** By entity set, the actions of its records. */
const actions: Readonly<Record<string, Readonly<Record<string, DocumentAction>>>> = {
  salesOrders: { shipAndInvoice },
  salesQuotes: { makeOrder, makeInvoice, send: sendQuote },
  salesInvoices: { post: postInvoice, postAndSend: postInvoice, send: sendInvoice },
};

interface ActionData {
  readonly store: Store;
  readonly dialect: Dialect;
}

/** Handles a POST to an action. Responds with the address of the document that comes of it. */
export function handleAction(
  request: ApiRequest,
  caller: Caller,
  { name, of }: Extract<BusinessAddress, { kind: 'action' }>,
  { store, dialect }: ActionData,
): ApiResponse {
  checkCanWrite(caller);
  const record = findAddressedRecord(of, dialect);
  checkOptionalIfMatch(request, record, dialect);
  const action = actions[of.set.name]?.[name];
  if (!action) throw new TypeError(`expected the action ${name}`);
  const { set, id } = action(store, of.company, record);
  const company = `/api/${of.route}/companies(${idOf(of.company.record)})`;
  return emptyResponse(204, { location: `${request.origin}${company}/${set}(${id})` });
}
