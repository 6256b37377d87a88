import type { TextFormat } from '../../generated/graphql.ts';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import { createHtmlWriter } from './html-writer.ts';
import { isMarkup } from './markup-elements.ts';
import { createMarkupReader, type TextReader } from './markup-reader.ts';
import { createPlainReader, createTextWriter, escapeHtml } from './plain-text.ts';

type ConvertedFormat = Exclude<TextFormat, 'RAW'>;

const pieceLength = 8_192;
// How long the event loop may be blocked at a time.
const sliceMs = 5;

/** A text that is being converted. */
interface Conversion {
  /** Converts the next piece; true once that was the last. */
  step(): boolean;
}

// Conversions that wait for a turn, by caller.
const waiting = new Map<string, Conversion[]>();
// What this event-loop turn has spent on conversions that did not wait.
let spentMs = 0;

/**
 * Converts a text of an upstream, which may be markup or not, to sanitized HTML or to plain text. Short ones are converted
 * at once, for 5 ms of an event-loop turn; others in slices on the cooperative queue of a caller.
 */
export function convertText(text: string, format: ConvertedFormat, key: string): string | Promise<string> {
  const reader = createReader(text, format);
  if (text.length <= pieceLength && spentMs < sliceMs && !waiting.has(key)) {
    if (spentMs === 0)
      setImmediate(() => {
        spentMs = 0;
      });
    const beganAt = performance.now();
    reader.readTo(text.length);
    const result = reader.finish();
    spentMs += performance.now() - beganAt;
    return result;
  }
  return new Promise((resolve, reject) => {
    let index = 0;
    const step = () => {
      try {
        index = Math.min(index + pieceLength, text.length);
        reader.readTo(index);
        if (index === text.length) resolve(reader.finish());
        return index === text.length;
      } catch (error) {
        reject(error);
        return true;
      }
    };
    const conversions = waiting.get(key);
    if (conversions) conversions.push({ step });
    else {
      const first = [{ step }];
      waiting.set(key, first);
      void convertAll(key, first);
    }
  });
}

async function convertAll(key: string, conversions: Conversion[]): Promise<void> {
  while (conversions.length > 0) {
    await waitForTurn(key);
    const beganAt = performance.now();
    while (conversions.length > 0 && performance.now() - beganAt < sliceMs)
      if (conversions[0]?.step()) conversions.shift();
  }
  waiting.delete(key);
}

function createReader(text: string, format: ConvertedFormat): TextReader {
  if (isMarkup(text))
    return createMarkupReader(text, format === 'HTML' ? createHtmlWriter() : createTextWriter());
  return createPlainReader(text, format === 'HTML' ? toHtml : (plain) => plain);
}

const toHtml = (plain: string): string => escapeHtml(plain).replaceAll('\n', '<br>');
