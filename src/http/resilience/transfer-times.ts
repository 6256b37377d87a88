/** Estimates what calls to one upstream take by what earlier ones took. */
export interface TransferTimes {
  /** Call it when a read has succeeded, with the length of its response. */
  record(ms: number, bytes: number): void;
  estimate(): TransferEstimate;
}

export interface TransferEstimate {
  /** What a call with a short response takes. */
  readonly roundTripMs: number;
  /** What each byte of a long response adds to that. */
  readonly msPerByte: number;
}

const shortBytes = 16_384;
const longBytes = 131_072;
// How fast observations replace older ones.
const learningRate = 0.1;
// Until a call has been made: a distant upstream.
const initialRoundTripMs = 50;

/** Exponentially weighted averages: of short responses for the round trip, of long ones for the time of a byte. */
export function createTransferTimes(): TransferTimes {
  let roundTripMs: number | null = null;
  let msPerByte = 0;
  return {
    record(ms, bytes) {
      if (bytes <= shortBytes) roundTripMs = average(roundTripMs ?? ms, ms);
      else if (bytes >= longBytes) {
        const beyond = Math.max(0, ms - (roundTripMs ?? initialRoundTripMs)) / bytes;
        msPerByte = average(msPerByte, beyond);
      }
    },
    estimate: () => ({ roundTripMs: roundTripMs ?? initialRoundTripMs, msPerByte }),
  };
}

const average = (before: number, observed: number) => before + (observed - before) * learningRate;
