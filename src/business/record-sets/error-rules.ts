import type { ErrorRule } from '../../http/errors.ts';

/**
 * English messages of lock conflicts whose status and code are ambiguous. Messages in other languages do not match. The
 * patterns are anchored at the start, so that quoted values cannot match.
 */
const lockedRecordMessages: readonly RegExp[] = [
  // MicrosoftDocs/dynamics365smb-devitpro-pb, telemetry of database locks.
  /^The operation could not complete because a record in the .{1,200} table was locked by another user\./,
  // 409 Internal_ServerError as clients have met it ("The activity …"); older servers begin with "Your".
  /^(?:The|Your) activity was deadlocked with another user\b/,
  // 409 Internal_ServerError as a client has met it.
  /^We can.t save your changes right now, because a record in table /,
  // 400: microsoft/AL#5091.
  /^Sorry,? we just updated this page\./,
  // MicrosoftDocs/dynamics365smb-devitpro-pb, methods Modify and Rename; microsoft/AL#5091. The last: no body is published.
  /^Another user has modified the record\b/,
  /^The changes to the .{1,200} record cannot be saved because some information on the page is not up/,
  /^The record in table .{1,200} has been changed by another user\./,
];

// Statuses that leave the outcome of a request unknown; only the error code shows that it was not carried out.
const ambiguousStatuses = [500, 502, 503, 504];

// Error codes observed with permission errors.
const permissionErrorCodes = /^(?:Internal_ServerError|Application_DialogException|Unknown|Unauthorized)$/;

/**
 * Responses of area A whose meaning differs from their status, in every dialect (docs/upstream.md). Codes are those of
 * the vendor's table (MicrosoftDocs/dynamics365smb-devitpro-pb, dev-itpro/webservices/dynamics-error-codes.md).
 */
export const businessErrorRules: readonly ErrorRule[] = [
  {
    // A translated sentence, then untranslated: object, operation and usually app. Bodies:
    // hougaard/Simple-Object-Designer#149 and #305 (TableData; 400, 403, 500), VangelderSolutions/bc-mcp-proxy,
    // security-model.md (Page). Texts that quote values have colons, digits, quotes or brackets before them.
    statuses: [400, 500],
    code: permissionErrorCodes,
    message:
      /^[^"():;=\d]{5,200}[.。!]\s{0,4}\((?:TableData .{1,200} (?:Indirect)?(?:Read|Insert|Modify|Delete)|(?:Table|Page|Report|Code[Uu]nit|Query|XML[Pp]ort|MenuSuite|System) .{1,200} (?:Indirect)?Execute)(?:: .{0,200})?\)(?:\s{1,4}CorrelationId:\s{0,4}[\w-]{1,64}\.?)?\s{0,4}$/,
    means: 'FORBIDDEN',
  },
  {
    // Servers before 2022: microsoft/AL#6649 (TableData), #7121 (Table). The license: of any version.
    statuses: [400, 500],
    code: permissionErrorCodes,
    message:
      /^(?:You do not have|Your license does not grant you) the following permissions on (?:the )?(?:TableData|Table|Page|Report|Code[Uu]nit|Query|XML[Pp]ort|MenuSuite|System) .{1,200}: (?:Indirect)?(?:Read|Insert|Modify|Delete|Execute)\b/,
    means: 'FORBIDDEN',
  },
  { statuses: [400, ...ambiguousStatuses], code: /^Authorization_/, message: null, means: 'FORBIDDEN' },
  { statuses: null, code: /^Application_TooManyRequests$/, message: null, means: 429 },
  {
    // The vendor does not publish whether the request was carried out.
    statuses: [400, 409, ...ambiguousStatuses],
    code: /^(?:Application_ServiceUnavailable|Internal_TenantUnavailable)$/,
    message: null,
    means: 503,
  },
  // A lock or a deadlock, in any language.
  { statuses: [409], code: /^Internal_ServerError$/, message: null, means: 'LOCKED' },
  ...lockedRecordMessages.map(
    (message): ErrorRule => ({
      statuses: [400, 409, 500],
      code: /^(?:Internal|Application)_/,
      message,
      means: 'LOCKED',
    }),
  ),
  {
    // The upstream rejects a value or enforces a business rule, and rolls the transaction back at any of these statuses. A
    // plain Internal_ServerError is not among the codes: it also stands for an unreachable database.
    statuses: ambiguousStatuses,
    code: /^(?:(?:Application|BadRequest|Request)_.*|BadRequest|Internal_(?:DataNotFoundFilter|RecordNotFound|InvalidTableRelation|EntityWithSameKeyExists|CompanyNotFound))$/,
    message: null,
    means: 'UPSTREAM_REJECTED',
  },
];
