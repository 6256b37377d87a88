/** A caption in a language, by its Windows locale id. */
interface Caption {
  readonly languageCode: number;
  readonly caption: string;
}

const english = 1033;
const danish = 1030;

/** Captions that do not follow from the name. */
const englishCaptions: Readonly<Record<string, string>> = {
  number: 'No.',
  country: 'Country/Region Code',
  countryOfOrigin: 'Country/Region of Origin Code',
  postalCode: 'Post Code',
  lastModifiedDateTime: 'Last Modified Date',
  phoneNumber: 'Phone No.',
  mobilePhone: 'Mobile Phone No.',
  mobilePhoneNumber: 'Mobile Phone No.',
  gtin: 'GTIN',
  iban: 'IBAN',
  irs1099Code: 'IRS1099 Code',
  contactBusinessRelation: 'Business Relation',
  subCategory: 'Subcategory',
  companyNumber: 'Company Number',
  pdfDocument: 'PDF Document',
};

/** By English caption. What is not listed has no translation, as extensions often leave it. */
const danishCaptions: Readonly<Record<string, string>> = {
  Id: 'Id',
  'No.': 'Nummer',
  'Display Name': 'Vist navn',
  Code: 'Kode',
  Type: 'Type',
  'Address Line 1': 'Adresselinje 1',
  'Address Line 2': 'Adresselinje 2',
  City: 'By',
  State: 'Stat',
  'Country/Region Code': 'Lande-/områdekode',
  'Post Code': 'Postnr.',
  'Phone No.': 'Telefon',
  'Mobile Phone No.': 'Mobiltelefon',
  Email: 'Mailadresse',
  Website: 'Websted',
  'Tax Registration No.': 'SE/CVR-nr.',
  'Currency Id': 'Valuta-id',
  'Currency Code': 'Valutakode',
  'Payment Terms Id': 'Betalingsbetingelses-id',
  'Payment Method Id': 'Betalingsform-id',
  'Shipment Method Id': 'Leveringskode-id',
  'Tax Liable': 'Skattepligtig',
  Blocked: 'Spærret',
  Balance: 'Saldo',
  'Last Modified Date': 'Dato for seneste ændring',
  'Order Date': 'Ordredato',
  'Posting Date': 'Bogføringsdato',
  'Due Date': 'Forfaldsdato',
  Status: 'Status',
  Description: 'Beskrivelse',
  Quantity: 'Antal',
  'Unit Price': 'Enhedspris',
  'Unit Cost': 'Kostpris',
  'Job Title': 'Stilling',
  'Vendor Id': 'Kreditor-id',
  'Vendor No.': 'Kreditornr.',
  'Vendor Name': 'Kreditornavn',
  'Customer Id': 'Debitor-id',
  'Customer No.': 'Debitornr.',
  'Customer Name': 'Debitornavn',
  'Item Id': 'Vare-id',
  'Account Id': 'Konto-id',
  'Account No.': 'Kontonr.',
  'Debit Amount': 'Debetbeløb',
  'Credit Amount': 'Kreditbeløb',
  Vendor: 'Kreditor',
  Vendors: 'Kreditorer',
  Customer: 'Debitor',
  Customers: 'Debitorer',
  Item: 'Vare',
  Items: 'Varer',
  Employee: 'Medarbejder',
  Employees: 'Medarbejdere',
  Contact: 'Kontakt',
  Contacts: 'Kontakter',
  Dimension: 'Dimension',
  Dimensions: 'Dimensioner',
  Resource: 'Ressource',
  Resources: 'Ressourcer',
  'Purchase Order': 'Købsordre',
  'Purchase Orders': 'Købsordrer',
  'Purchase Invoice': 'Købsfaktura',
  'Purchase Invoices': 'Købsfakturaer',
  'Sales Order': 'Salgsordre',
  'Sales Orders': 'Salgsordrer',
  'Company Information': 'Virksomhedsoplysninger',
  Person: 'Person',
  Company: 'Virksomhed',
  Machine: 'Maskine',
  Draft: 'Kladde',
  Open: 'Åben',
  Payment: 'Betaling',
  Invoice: 'Faktura',
  All: 'Alle',
};

/** The captions of a name of the API, such as `payToVendorNumber`. */
export function captionsOfName(name: string): readonly Caption[] {
  return captionsOf(englishCaptions[name] ?? spell(name));
}

/** The captions of a word of an enum. */
export function captionsOf(caption: string): readonly Caption[] {
  const translated = danishCaptions[caption];
  const own = { languageCode: english, caption };
  return translated === undefined ? [own] : [own, { languageCode: danish, caption: translated }];
}

/** `payToVendorNumber` is `Pay-to Vendor No.`. */
function spell(name: string): string {
  const words = name.replace(/[A-Z]/g, ' $&').replace(/(\D)(\d+)$/, '$1 $2');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
    .replace(/^(Buy From|Pay To|Sell To|Bill To|Ship To)\b/, (prefix) =>
      prefix.replace(/ (.)/, (_, first) => `-${first.toLowerCase()}`),
    )
    .replace(/ Number$/, ' No.');
}
