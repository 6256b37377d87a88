import { businessRuleError } from '../../api-error.ts';
import type { Caller } from '../../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse } from '../../http.ts';
import { derivedGuid } from '../../seeded.ts';
import { type ActionAddress, findAddressedRecord } from '../address.ts';
import type { Company, RecordValues, StoredRecord } from '../entity-set.ts';
import { setNamed } from '../entity-sets.ts';
import { idOf, newRecordGuid, recordsOf, type Store } from '../store.ts';
import type { WriteData } from '../writes/client-ids.ts';
import { nextDraftNumber, nextNumber } from '../writes/number-series.ts';
import { checkCanWrite, checkOptionalIfMatch } from '../writes/preconditions.ts';
import { updatedDocument } from './order-documents.ts';
import { copyKnown, linesToPost, type PostedLine, postAmounts, postShipment } from './posted-documents.ts';
import { calculateTotals, dueDateOf, isDraft, numberField } from './totals.ts';

/** Carries out an action, or throws an `ApiError` and changes nothing. */
type DocumentAction = (store: Store, company: Company, record: StoredRecord) => ActionResult;

/** A type of documents that are posted under the id of their draft. */
interface PostedKind {
  readonly set: 'salesInvoices' | 'salesCreditMemos' | 'purchaseInvoices';
  /** Its name in messages. */
  readonly noun: string;
  /** Whether posting adds to the inventory (1) or takes from it (-1). */
  readonly stock: 1 | -1;
}

const invoices: PostedKind = { set: 'salesInvoices', noun: 'invoice', stock: -1 };
const creditMemos: PostedKind = { set: 'salesCreditMemos', noun: 'credit memo', stock: 1 };

/** How orders of sales or of purchases are posted: the fields of their lines and of the orders. */
interface OrderKind {
  readonly set: 'salesOrders' | 'purchaseOrders';
  readonly invoices: 'salesInvoices' | 'purchaseInvoices';
  readonly toMove: 'shipQuantity' | 'receiveQuantity';
  readonly moved: 'shippedQuantity' | 'receivedQuantity';
  readonly isAllMoved: 'fullyShipped' | 'fullyReceived';
  readonly past: string;
  readonly stock: 1 | -1;
}

const sales: OrderKind = {
  set: 'salesOrders',
  invoices: 'salesInvoices',
  toMove: 'shipQuantity',
  moved: 'shippedQuantity',
  isAllMoved: 'fullyShipped',
  past: 'shipped',
  stock: -1,
};
const purchases: OrderKind = {
  set: 'purchaseOrders',
  invoices: 'purchaseInvoices',
  toMove: 'receiveQuantity',
  moved: 'receivedQuantity',
  isAllMoved: 'fullyReceived',
  past: 'received',
  stock: 1,
};

/** By entity set, the actions of its records. The sandbox sends no e-mail. */
const actions: Readonly<Record<string, Readonly<Record<string, DocumentAction>>>> = {
  salesOrders: { shipAndInvoice: postOrder(sales) },
  salesQuotes: { makeOrder, makeInvoice, send: sendQuote },
  salesInvoices: {
    post: postDraft(invoices),
    postAndSend: postDraft(invoices),
    send: (_store, _company, invoice) => ({ set: 'salesInvoices', id: idOf(invoice) }),
    cancel: cancel(invoices, creditMemos),
    cancelAndSend: cancel(invoices, creditMemos),
  },
  salesCreditMemos: {
    post: postDraft(creditMemos),
    postAndSend: postDraft(creditMemos),
    send: sendCreditMemo,
    cancel: cancel(creditMemos, invoices),
    cancelAndSend: cancel(creditMemos, invoices),
  },
  purchaseOrders: { receiveAndInvoice: postOrder(purchases) },
  purchaseInvoices: { post: postDraft({ set: 'purchaseInvoices', noun: 'invoice', stock: 1 }) },
};

/** Handles a POST to an action. Responds with the address of the document that comes of it. */
export function handleAction(
  request: ApiRequest,
  caller: Caller,
  { name, of }: ActionAddress,
  { store, dialect }: WriteData,
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

/** Posts a draft: it keeps its id, and gets the number of a posted document. */
function postDraft({ set, noun, stock }: PostedKind): DocumentAction {
  return (store, company, draft) => {
    if (!isDraft(draft.values)) throw businessRuleError(`The action can be applied to a draft ${noun} only.`);
    const lines = allOf(draft);
    if (!lines.some(({ quantity }) => quantity > 0)) throw businessRuleError('There is nothing to post.');
    checkNotBlocked(company, draft.values);
    moveStock(store, company, lines, stock);
    store.change(company, set, draft, {
      ...draft.values,
      status: 'Open',
      number: nextNumber(company, setNamed(set)),
      postingDate: today(),
    });
    return { set, id: idOf(draft) };
  };
}

/** All units of the lines of a document. */
const allOf = ({ lines }: StoredRecord): readonly PostedLine[] =>
  lines.map(({ values: line }) => ({ line, quantity: numberField(line, 'quantity') }));

/** Cancels a posted document by one of the other type, which takes back all of it. */
function cancel(own: PostedKind, other: PostedKind): DocumentAction {
  return (store, company, posted) => {
    const { values } = posted;
    checkIsPosted(posted, own);
    if (values.status === 'Canceled')
      throw businessRuleError(`The ${own.noun} cannot be canceled because it has already been canceled.`);
    if (values.status === 'Paid')
      throw businessRuleError(
        `You cannot correct or cancel this posted sales ${own.noun} because it is fully paid.`,
      );
    if (own === creditMemos && values.status !== 'Corrective')
      throw businessRuleError(
        'You cannot cancel this posted sales credit memo because it is not a corrective document.',
      );
    const lines = allOf(posted);
    moveStock(store, company, lines, other.stock);
    const origin = own === invoices ? { invoiceId: idOf(posted), invoiceNumber: values.number ?? '' } : {};
    addPosted(store, company, other.set, values, lines, 'Corrective', origin);
    store.change(company, own.set, posted, {
      ...values,
      status: 'Canceled',
      ...(own === invoices && { remainingAmount: 0 }),
    });
    return { set: own.set, id: idOf(posted) };
  };
}

function checkIsPosted({ values }: StoredRecord, { noun }: PostedKind): void {
  if (isDraft(values)) throw businessRuleError(`The action can be applied to a posted ${noun} only.`);
}

function sendCreditMemo(_store: Store, _company: Company, memo: StoredRecord): ActionResult {
  checkIsPosted(memo, creditMemos);
  return { set: 'salesCreditMemos', id: idOf(memo) };
}

/** Turns a quote into an order, and removes the quote. */
function makeOrder(store: Store, company: Company, quote: StoredRecord): ActionResult {
  const set = setNamed('salesOrders');
  const header = { ...set.document?.defaults(today(), company), number: nextNumber(company, set) };
  return convert(store, company, quote, 'salesOrders', header, set.document?.lineDefaults);
}

/** Turns a quote into an invoice that is not posted yet, and removes the quote. */
function makeInvoice(store: Store, company: Company, quote: StoredRecord): ActionResult {
  const date = today();
  return convert(store, company, quote, 'salesInvoices', {
    number: nextDraftNumber(company, setNamed('salesInvoices'), 'S-INV'),
    invoiceDate: date,
    postingDate: date,
    dueDate: dueDateOf(company, date, quote.values.paymentTermsId),
  });
}

/** Marks a quote as sent to its customer. */
function sendQuote(store: Store, company: Company, quote: StoredRecord): ActionResult {
  const sentDate = new Date().toISOString();
  store.change(company, 'salesQuotes', quote, { ...quote.values, status: 'Sent', sentDate });
  return { set: 'salesQuotes', id: idOf(quote) };
}

function convert(
  store: Store,
  company: Company,
  quote: StoredRecord,
  target: 'salesOrders' | 'salesInvoices',
  given: RecordValues,
  lineDefaults: (header: RecordValues, line: RecordValues) => RecordValues = () => ({}),
): ActionResult {
  checkNotBlocked(company, quote.values);
  const set = setNamed(target);
  const lineSet = setNamed(`${target.slice(0, -1)}Lines`);
  const id = newRecordGuid(company, target);
  const header: RecordValues = {
    ...copyKnown(set, quote.values),
    ...given,
    id,
    status: 'Draft',
    ...now(),
  };
  const lines = quote.lines.map(({ values }) => ({
    ...copyKnown(lineSet, values),
    ...lineDefaults(header, values),
    id: derivedGuid(`${id}:${values.lineNo}`),
    documentId: id,
  }));
  const { values: order, lines: totalled } = calculateTotals(header, lines);
  store.add(company, target, order, totalled);
  store.remove(company, 'salesQuotes', quote);
  return { set: target, id };
}

/**
 * Posts what the lines of an order say is to be shipped or received, and to be invoiced. An order of which all is done is
 * removed, as by the real service.
 */
function postOrder(kind: OrderKind): DocumentAction {
  return (store, company, order) => {
    const lines = order.lines.map(({ values }) => values);
    const moved = linesToPost(lines, kind.toMove);
    const invoiced = linesToPost(lines, 'invoiceQuantity');
    if (moved.length === 0 && invoiced.length === 0) throw businessRuleError('There is nothing to post.');
    checkNotBlocked(company, order.values);
    for (const line of lines) checkInvoicedIsMoved(kind, line);
    moveStock(store, company, moved, kind.stock);
    if (kind === sales && moved.length > 0)
      addPosted(store, company, 'salesShipments', order.values, moved, '', {});
    const origin = { orderId: order.values.id ?? '' };
    const invoice =
      invoiced.length > 0
        ? addPosted(store, company, kind.invoices, order.values, invoiced, 'Open', origin)
        : undefined;
    const rest = lines.map((line) => postedLine(kind, line));
    const isAll = (field: string) =>
      rest.every((line) => numberField(line, field) === numberField(line, 'quantity'));
    if (isAll('invoicedQuantity')) store.remove(company, kind.set, order);
    else {
      const { values, lines: left } = updatedDocument(company, setNamed(kind.set), order, {}, rest);
      store.change(company, kind.set, order, { ...values, [kind.isAllMoved]: isAll(kind.moved) }, left);
    }
    return invoice ? { set: kind.invoices, id: idOf(invoice) } : { set: kind.set, id: idOf(order) };
  };
}

function checkInvoicedIsMoved({ toMove, moved, past }: OrderKind, line: RecordValues): void {
  const left = numberField(line, moved) - numberField(line, 'invoicedQuantity');
  if (numberField(line, 'invoiceQuantity') <= left + numberField(line, toMove)) return;
  throw businessRuleError(`You cannot invoice more than is ${past}.`);
}

function postedLine({ toMove, moved }: OrderKind, line: RecordValues): RecordValues {
  const nowMoved = numberField(line, moved) + numberField(line, toMove);
  const invoicedQuantity = numberField(line, 'invoicedQuantity') + numberField(line, 'invoiceQuantity');
  const quantity = numberField(line, 'quantity');
  return {
    ...line,
    [moved]: nowMoved,
    invoicedQuantity,
    [toMove]: quantity - nowMoved,
    invoiceQuantity: quantity - invoicedQuantity,
  };
}

const today = () => new Date().toISOString().slice(0, 10);

/** Adds a posted document of lines of an order, an invoice or a credit memo, with values that name that one. */
function addPosted(
  store: Store,
  company: Company,
  name: PostedKind['set'] | 'salesShipments',
  source: RecordValues,
  posted: readonly PostedLine[],
  status: string,
  origin: RecordValues,
): StoredRecord {
  const set = setNamed(name);
  const isPurchase = name === 'purchaseInvoices';
  const sets = {
    set,
    lines: setNamed(`${name.slice(0, -1)}Lines`),
    ...(isPurchase && { priceField: 'unitCost' }),
  };
  const posting = {
    id: newRecordGuid(company, name),
    number: nextNumber(company, set),
    date: today(),
    status,
  };
  const priced = posted.map(({ line, quantity }) => ({
    quantity,
    line: isPurchase ? { ...line, unitCost: line.directUnitCost ?? 0 } : line,
  }));
  const post = name === 'salesShipments' ? postShipment : postAmounts;
  const { values, lines } = post(company, sets, source, priced, posting);
  const remaining =
    name === 'salesInvoices' && status === 'Open'
      ? { remainingAmount: values.totalAmountIncludingTax ?? 0 }
      : {};
  const orderNumber = source.orderDate === undefined ? {} : { orderNumber: source.number ?? '' };
  return store.add(company, name, { ...values, ...now(), ...orderNumber, ...remaining, ...origin }, lines);
}

const now = () => ({ lastModifiedDateTime: new Date().toISOString() });

/** A document that an action has created or changed. */
export interface ActionResult {
  readonly set: string;
  readonly id: string;
}

/** Throws an `ApiError` if a customer of a document may not be sent goods or invoices. */
function checkNotBlocked(company: Company, document: RecordValues): void {
  const customers = recordsOf(company, 'customers');
  for (const id of [document.customerId, document.billToCustomerId]) {
    const customer = customers.get(String(id))?.values;
    if (!customer || customer.blocked === ' ') continue;
    throw businessRuleError(
      `You cannot post this type of document when Customer ${customer.number} is blocked with type ${customer.blocked}`,
    );
  }
}

/** Adds what is posted to the inventory, or takes it from there. Throws an `ApiError`, and takes nothing, where that has too few. */
function moveStock(store: Store, company: Company, posted: readonly PostedLine[], sign: 1 | -1): void {
  const items = recordsOf(company, 'items');
  const moved = new Map<string, number>();
  for (const { line, quantity } of posted) {
    const id = String(line.itemId);
    if (items.get(id)?.values.type === 'Inventory') moved.set(id, (moved.get(id) ?? 0) + sign * quantity);
  }
  const changed = [...moved].flatMap(([id, quantity]) => {
    const item = items.get(id);
    return item ? [{ item, inventory: numberField(item.values, 'inventory') + quantity }] : [];
  });
  const short = changed.find(({ inventory }) => inventory < 0);
  if (short)
    throw businessRuleError(
      `You have insufficient quantity of Item ${short.item.values.number} on inventory.`,
    );
  for (const { item, inventory } of changed) store.compute(item, { inventory });
}
