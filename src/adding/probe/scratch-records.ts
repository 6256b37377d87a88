import { isJsonObject, type JsonObject } from '../../runtime/json.ts';
import { AddingError, toPrintable } from '../adding-error.ts';
import { parseOrNull, type Service, type ServiceAnswer } from '../service.ts';
import { type EntitySetAddress, explainProbeFailure, isRefusal, pathOf, reasonOf } from './asking.ts';

type Made =
  | { readonly isOk: true; readonly record: JsonObject }
  | { readonly isOk: false; readonly reason: string };

type Changed =
  | { readonly kind: 'changed'; readonly record: JsonObject }
  | { readonly kind: 'refused' }
  /** No calls are left, or the record could not be read. */
  | { readonly kind: 'notAsked' };

/** Records that a probe makes. Each is deleted, also after a failure; the id of one whose end is unknown is told. */
export interface ScratchRecords {
  readonly hasDeleted: boolean;
  /** Makes a record. `isOk: false` where the service refuses the values. */
  make(body: JsonObject): Promise<Made>;
  /** Changes a record. Where the response does not show it, it is read. */
  change(record: JsonObject, patch: JsonObject): Promise<Changed>;
  remove(record: JsonObject): Promise<void>;
  /** Deletes what is left. Throws an `AddingError` that names the records that may still be there. */
  removeAll(): Promise<void>;
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function createScratchRecords(
  service: Service,
  address: EntitySetAddress,
  note: (text: string) => void,
): ScratchRecords {
  const path = pathOf(address);
  const { entitySet, company } = address;
  const left = new Set<string>();
  let hasDeleted = false;

  const readRecord = (answer: ServiceAnswer): JsonObject | null => {
    const body = answer.isOk ? parseOrNull(answer.text) : null;
    return isJsonObject(body) ? body : null;
  };

  /** Whether a record is certainly gone. */
  const removeById = async (id: string): Promise<boolean> => {
    try {
      const answer = await service.send({
        method: 'DELETE',
        path: `${path}(${id})`,
        headers: { 'if-match': '*' },
      });
      if (answer.isOk) {
        hasDeleted = true;
        return true;
      }
      if (answer.status === 404) return true;
    } catch {
      // The outcome is unknown: the record is read.
    }
    try {
      return (await service.send({ path: `${path}(${id})` })).status === 404;
    } catch {
      return false;
    }
  };

  const remove: ScratchRecords['remove'] = async ({ id }) => {
    if (typeof id !== 'string' || !(await removeById(id))) return;
    left.delete(id);
    note(`Deleted ${entitySet}(${id}).`);
  };

  return {
    get hasDeleted() {
      return hasDeleted;
    },
    async make(body) {
      // Two more calls for each record that exists, so that it can be deleted, and its end be read.
      if (service.callsLeft < 3 * (left.size + 1))
        throw new AddingError(
          'The limit of calls is reached: raise it with --max-calls. Nothing was written.',
        );
      const time = new Date().toISOString();
      const sent = `It was sent at ${time} with ${toPrintable(JSON.stringify(body))}: look for it and delete it.`;
      let answer: ServiceAnswer;
      try {
        answer = await service.send({ method: 'POST', path, body });
      } catch (error) {
        throw new AddingError(
          `${(error as Error).message} A record of ${entitySet} may have been made in company ${company}, whose id is not known. ${sent}`,
        );
      }
      if (!answer.isOk) {
        if (isRefusal(answer)) return { isOk: false, reason: reasonOf(answer.error) };
        const unknown =
          answer.error.delivery === 'unknown'
            ? ` A record may have been made in company ${company}, whose id is not known. ${sent}`
            : '';
        throw new AddingError(
          `${explainProbeFailure(`No record of ${entitySet} was made`, answer, address)}${unknown}`,
        );
      }
      const record = readRecord(answer);
      const id = record?.id;
      if (record === null || typeof id !== 'string' || !guid.test(id))
        throw new AddingError(
          `A record of ${entitySet} was made in company ${company}, but the response does not say its id. ${sent}`,
        );
      left.add(id);
      note(`Made ${entitySet}(${id}) in company ${company} with ${toPrintable(JSON.stringify(body))}.`);
      return { isOk: true, record };
    },
    async change(record, patch) {
      const target = `${path}(${String(record.id)})`;
      const notAsked = { kind: 'notAsked' } as const;
      // Kept back for deleting.
      const hasCalls = () => service.callsLeft > 3 * left.size;
      if (!hasCalls()) return notAsked;
      const answer = await service.send({
        method: 'PATCH',
        path: target,
        headers: { 'if-match': '*' },
        body: patch,
      });
      if (!answer.isOk && isRefusal(answer)) return { kind: 'refused' };
      if (!answer.isOk)
        throw new AddingError(
          `${explainProbeFailure(`Updates of ${entitySet} were not probed`, answer, address)} Nothing was written.`,
        );
      const shown = readRecord(answer);
      if (shown && shown.id === record.id) return { kind: 'changed', record: shown };
      if (!hasCalls()) return notAsked;
      const read = readRecord(await service.send({ path: target }));
      return read && read.id === record.id ? { kind: 'changed', record: read } : notAsked;
    },
    remove,
    async removeAll() {
      for (const id of [...left]) await remove({ id });
      if (left.size === 0) return;
      throw new AddingError(
        `It is not certain that these records of ${entitySet} in company ${company} are deleted: ${[...left].join(', ')}. Look for them and delete them.`,
      );
    },
  };
}
