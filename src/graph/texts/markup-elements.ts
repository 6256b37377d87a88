/** The elements of HTML, with the roots of SVG and MathML: text with a tag of one of these is markup. */
const elements: ReadonlySet<string> = new Set(
  'a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink blockquote body br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ins kbd label legend li link main map mark marquee math menu meta meter nav nobr noembed noframes noscript object ol optgroup option output p param picture plaintext pre progress q rp rt ruby s samp script search section select slot small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp'.split(
    ' ',
  ),
);

const tagPattern = /<(?:!--|!doctype[\s>]|\/?([a-z][a-z0-9]{0,15})(?=[\s/>])[^<>]*>)/gi;

/** Whether a text contains markup. Without any, a `<` in it means "less than", and its line breaks are meant. */
export function isMarkup(text: string): boolean {
  for (const [, name] of text.matchAll(tagPattern))
    if (name === undefined || elements.has(name.toLowerCase())) return true;
  return false;
}

/** Elements whose content is not text of the document: it is dropped with them, as are comments. */
export const droppedElements: ReadonlySet<string> = new Set(
  'applet audio canvas datalist iframe math noembed noframes noscript object script select style svg template textarea title video'.split(
    ' ',
  ),
);

/** Elements that sanitized HTML may contain, and their attributes; of others, only the content is kept. */
export const allowedElements: ReadonlyMap<string, readonly string[]> = new Map([
  ...'b blockquote br caption code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q s samp small span strong sub sup table tbody tfoot thead tr u ul var'
    .split(' ')
    .map((name): [string, readonly string[]] => [name, []]),
  ['a', ['href']],
  ['td', ['colspan', 'rowspan']],
  ['th', ['colspan', 'rowspan']],
]);

export const voidElements: ReadonlySet<string> = new Set(['br', 'hr']);

const cells = ['td', 'th'];
const rows = ['tr', ...cells];
const rowGroups = ['tbody', 'tfoot', 'thead', ...rows];

/** The elements that a start tag ends, where they are the innermost ones and their end tag was left out. */
export const endedBy: ReadonlyMap<string, readonly string[]> = new Map([
  ...'blockquote div dl h1 h2 h3 h4 h5 h6 hr ol p pre table ul'
    .split(' ')
    .map((name): [string, readonly string[]] => [name, ['p']]),
  ['li', ['li', 'p']],
  ['dt', ['dt', 'dd', 'p']],
  ['dd', ['dt', 'dd', 'p']],
  ['td', cells],
  ['th', cells],
  ['tr', rows],
  ['tbody', rowGroups],
  ['tfoot', rowGroups],
  ['thead', rowGroups],
]);

/** How many line breaks part an element from what is before and after it; none for any other element. */
export const lineBreaks: ReadonlyMap<string, number> = new Map([
  ...'blockquote figure h1 h2 h3 h4 h5 h6 hr p pre table'
    .split(' ')
    .map((name): [string, number] => [name, 2]),
  ...'address article aside body caption center dd details dialog dir div dl dt fieldset figcaption footer form header li main menu nav ol optgroup option section summary tr ul'
    .split(' ')
    .map((name): [string, number] => [name, 1]),
]);
