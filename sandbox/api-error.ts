/** An `ErrorDetail` of area B. */
export interface ApiErrorDetail {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
  readonly details?: readonly ApiErrorDetail[];
}

interface ApiErrorExtras {
  readonly target?: string;
  readonly details?: readonly ApiErrorDetail[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * An error response. Each area serializes it in its own form, so `target` and `details` appear only where the
 * document has them.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly extras: ApiErrorExtras;

  constructor(status: number, code: string, message: string, extras: ApiErrorExtras = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.extras = extras;
  }
}

export function badRequestError(message: string): ApiError {
  return new ApiError(400, 'BadRequest', message);
}

/** A field of area A refers to a record that does not exist. */
export function invalidRelationError(field: string, table: string, value: string, related: string): ApiError {
  return new ApiError(
    400,
    'Internal_InvalidTableRelation',
    `The field ${field} of table ${table} contains a value (${value}) that cannot be found in the related table (${related}).`,
  );
}

/** A business rule of area A rejects a well-formed request. */
export function businessRuleError(message: string): ApiError {
  return new ApiError(400, 'Application_DialogException', message);
}

/** The error of area A for a method that a resource does not have. */
export function methodNotAllowedError(
  method: string,
  name: string,
  edmType: string,
  allow: string,
): ApiError {
  return new ApiError(
    405,
    'BadRequest_MethodNotAllowed',
    `'${method}' requests for '${name}' of EdmType '${edmType}' are not allowed within the OData web services.`,
    { headers: { allow } },
  );
}
