import { isJsonObject, type JsonObject } from '../../runtime/json.ts';
import { AddingError, toPrintable } from '../adding-error.ts';
import { explainRefusal } from '../metadata-source.ts';
import { parseOrNull, type Service, type ServiceAnswer } from '../service.ts';
import { type EntitySetAddress, pathOf, reasonOf } from './asking.ts';

type Made =
  | { readonly isOk: true; readonly record: JsonObject }
  | { readonly isOk: false; readonly reason: string };

/** Records that a probe makes. Each is deleted, also after a failure; the id of one whose end is unknown is told. */
export interface ScratchRecords {
  readonly hasDeleted: boolean;
  /** Makes a record. `isOk: false` where the service refuses the values. */
  make(body: JsonObject): Promise<Made>;
  /** Changes a record. Null where the service refuses that. */
  change(record: JsonObject, patch: JsonObject): Promise<JsonObject | null>;
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
    if (typeof id === 'string' && (await removeById(id))) left.delete(id);
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
      let answer: ServiceAnswer;
      try {
        answer = await service.send({ method: 'POST', path, body });
      } catch (error) {
        throw new AddingError(
          `${(error as Error).message} A record of ${entitySet} may have been made in company ${company} with ${toPrintable(JSON.stringify(body))}: look for it and delete it.`,
        );
      }
      if (!answer.isOk) {
        if (answer.error.code === 'UPSTREAM_REJECTED') return { isOk: false, reason: reasonOf(answer.error) };
        const unknown =
          answer.error.delivery === 'unknown'
            ? ' A record may have been made: look for it and delete it.'
            : '';
        throw new AddingError(
          `${explainRefusal(`No record of ${entitySet} was made`, answer.status, reasonOf(answer.error))}${unknown}`,
        );
      }
      const record = readRecord(answer);
      const id = record?.id;
      if (record === null || typeof id !== 'string' || !guid.test(id))
        throw new AddingError(
          `A record of ${entitySet} was made in company ${company}, but the response does not say its id. It had ${toPrintable(JSON.stringify(body))}: look for it and delete it.`,
        );
      left.add(id);
      note(`Made ${entitySet}(${id}) in company ${company} with ${toPrintable(JSON.stringify(body))}.`);
      return { isOk: true, record };
    },
    async change(record, patch) {
      // Kept back for deleting.
      if (service.callsLeft < 3 * left.size + 1) return null;
      const answer = await service.send({
        method: 'PATCH',
        path: `${path}(${String(record.id)})`,
        headers: { 'if-match': '*' },
        body: patch,
      });
      if (!answer.isOk && answer.error.code !== 'UPSTREAM_REJECTED')
        throw new AddingError(
          explainRefusal(`Updates of ${entitySet} were not probed`, answer.status, reasonOf(answer.error)),
        );
      const changed = readRecord(answer);
      return changed?.id === record.id ? changed : null;
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
