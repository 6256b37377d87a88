const blocks = new Set(
  'address article blockquote br dd div dl dt h1 h2 h3 h4 h5 h6 hr li ol p pre section table tr ul'.split(
    ' ',
  ),
);
const hidden = new Set('!-- head object script select style svg template textarea video'.split(' '));
const inline = new Set(
  'a abbr b body center cite code em font html i img kbd mark q s small span strong sub sup tbody td tfoot th thead u var'.split(
    ' ',
  ),
);

const marks = /<!--|-->|<(\/?)([a-z][a-z0-9]*)(?:\s[^<>]*)?\/?>/gi;
const entities = /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,6}));/gi;
/** @type {Readonly<Record<string, string>>} */
const characters = {
  ...{
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: '\u00a0',
    bull: '•',
    middot: '·',
    hellip: '…',
  },
  ...{ ndash: '–', mdash: '—', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', euro: '€', deg: '°' },
  ...{
    copy: '©',
    reg: '®',
    trade: '™',
    auml: 'ä',
    ouml: 'ö',
    uuml: 'ü',
    szlig: 'ß',
    eacute: 'é',
    egrave: 'è',
  },
};

/**
 * Reads a text that an upstream may have written as HTML, with entities, or plainly. Blocks become lines. A text whose
 * tags are all unknown to HTML, as in `List<String>`, is returned as it is. Nothing is parsed as a document, and the result
 * is shown as text alone.
 *
 * @param {string} text
 */
export function toPlainText(text) {
  const found = [...text.matchAll(marks)].map((mark) => ({
    start: mark.index,
    end: mark.index + mark[0].length,
    isEnd: mark[1] === '/' || mark[0] === '-->',
    name: mark[2]?.toLowerCase() ?? '!--',
  }));
  const known = found.filter(({ name }) => blocks.has(name) || hidden.has(name) || inline.has(name));
  if (known.length === 0) return found.length === 0 ? decode(text) : text;
  let shown = '';
  let at = 0;
  /** @type {string | null} The element whose content is left out. */
  let within = null;
  for (const { start, end, isEnd, name } of known) {
    if (within === null) shown += text.slice(at, start);
    at = end;
    if (within === null && !isEnd && hidden.has(name)) within = name;
    else if (within === name && isEnd) within = null;
    else if (within === null)
      shown += blocks.has(name) ? '\u2028' : name === 'td' || name === 'th' ? ' ' : '';
  }
  if (within === null) shown += text.slice(at);
  const lines = shown.replace(/[^\S\u2028]+/g, ' ').replace(/ ?(?:\u2028 ?)+/g, '\n');
  return decode(lines.trim());
}

/** @param {string} text */
const decode = (text) =>
  text.replace(entities, (whole, decimal, hexadecimal, name) => {
    if (name !== undefined) return characters[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal);
    const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : '\ufffd';
  });
