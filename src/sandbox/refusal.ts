/** One inner error of area B (`ErrorDetail`, B of the document). */
export interface ErrorDetail {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
  readonly details?: readonly ErrorDetail[];
}

interface RefusalExtras {
  readonly target?: string;
  readonly details?: readonly ErrorDetail[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A request the sandbox does not carry out. Each area prints it in its own error shape, so
 * `target` and `details` show only where the document has them.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly code: string;
  readonly extras: RefusalExtras;

  constructor(status: number, code: string, message: string, extras: RefusalExtras = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.extras = extras;
  }
}

/** The commonest refusal of area A: the request cannot be understood. */
export function badRequest(message: string): Refusal {
  return new Refusal(400, 'BadRequest', message);
}

/** A field of area A names a record of another table that is not there. */
export function invalidRelation(field: string, table: string, value: string, related: string): Refusal {
  return new Refusal(
    400,
    'Internal_InvalidTableRelation',
    `The field ${field} of table ${table} contains a value (${value}) that cannot be found in the related table (${related}).`,
  );
}

/** A business rule of area A refused a well-formed request. */
export function refusedByRule(message: string): Refusal {
  return new Refusal(400, 'Application_DialogException', message);
}
