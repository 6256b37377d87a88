/** Splits a text at its commas. */
const words = (text: string): readonly string[] => text.trim().split(/,\s+/);

/** Invented names. */
export const firstWords = words(`
  Alder, Bramble, Copperfield, Dunmore, Eastgate, Fernhill, Granite, Hollow, Ironwood, Juniper, Kestrel,
  Larkspur, Millrace, Northwind, Oakhurst, Pinecrest, Quarry, Redfern, Saltmarsh, Thornbury, Umber,
  Valewood, Westbrook, Yarrow, Ashdown, Birchwood, Cedarline, Driftwood, Elmstead, Foxglove, Greyfriars,
  Heathland, Ivybridge, Kingfisher, Linden, Meadowlark, Nettlecombe, Orchard, Priory, Ravenscar
`);

export const secondWords = words(`
  Joinery, Outfitters, Interiors, Workshops, Trading, Furnishings, Studios, Supply, Hotels, Schools,
  Offices, Builders, Retail, Design, Partners, Logistics, Kitchens, Libraries, Clinics, Markets, Gardens,
  Fittings, Projects, Stores, Works
`);

export const givenNames = words(`
  Amara, Benedikt, Chiara, Dorian, Elif, Fabian, Greta, Hugo, Ines, Jonas, Katya, Liam, Mireille, Nuno,
  Oona, Petra, Quentin, Rosa, Sven, Tamsin
`);

export const surnames = words(`
  Abernathy, Bergström, Castellan, Dvorak, Eriksen, Fontaine, Grünwald, Hartigan, Ibarra, Jankowski,
  Kovac, Lindqvist, Moreau, Novak, Okafor, Pellegrini, Quigley, Rossi, Sørensen, Tanaka, Underhill,
  Vasquez, Whitlock, Yilmaz, Zielinski
`);

export const streets = words(`
  Mill Lane, Station Road, Harbour Street, Church Walk, Foundry Row, Orchard Avenue, Quay Side,
  Tanner Street, Beacon Hill, Weaver Close, Garden Terrace, Mason Yard
`);

/** City, state, country and the prefix of its postal codes. */
export const places = [
  ['Portland', 'ME', 'US', '041'],
  ['Savannah', 'GA', 'US', '314'],
  ['Duluth', 'MN', 'US', '558'],
  ['Santa Fe', 'NM', 'US', '875'],
  ['Galway', '', 'IE', 'H91 '],
  ['Aarhus', '', 'DK', '80'],
  ['Freiburg', '', 'DE', '791'],
  ['Lille', '', 'FR', '590'],
  ['Ghent', '', 'BE', '90'],
  ['Turku', '', 'FI', '201'],
] as const;

/** Item category code, its description and the goods in it. */
export const goods = [
  ['TABLE', 'Tables', ['Dining Table', 'Side Table', 'Writing Desk', 'Standing Desk', 'Workbench']],
  ['CHAIR', 'Chairs', ['Armchair', 'Desk Chair', 'Bar Stool', 'Rocking Chair', 'Folding Chair']],
  ['LAMP', 'Lamps', ['Floor Lamp', 'Desk Lamp', 'Wall Lamp', 'Pendant Lamp']],
  ['STORAGE', 'Shelves and cabinets', ['Bookcase', 'Filing Cabinet', 'Wardrobe', 'Coat Rack', 'Sideboard']],
  ['TEXTILE', 'Textiles', ['Wool Rug', 'Curtain Pair', 'Seat Cushion']],
  ['PARTS', 'Parts and fittings', ['Hinge', 'Drawer Runner', 'Table Leg', 'Castor']],
  ['SERVICE', 'Services', ['Assembly', 'Delivery', 'Upholstery Repair']],
] as const;

export const woods = ['Oak', 'Walnut', 'Beech', 'Maple', 'Birch'] as const;

export const jobTitles = words(
  'Cabinet Maker, Sales Manager, Accountant, Warehouse Lead, Designer, Purchaser, Driver, Customer Support',
);
