const levels = [
  { tier: 'SILVER', points: 100 },
  { tier: 'GOLD', points: 1000 },
];

// biome-ignore lint/style/noDefaultExport: Tributary reads the resolvers of an extension from its default export.
export default {
  Customer: {
    loyaltyPoints: ({ balanceDue }) => Math.max(0, Math.floor(Number(balanceDue))),

    // One call for up to 50 customers of a company.
    orderCount: ({ companyId, number }, _args, { business, loader }) =>
      loader(`orders of ${companyId}`, async (numbers) => {
        const { value } =
          await business.get`/api/v2.0/companies(${companyId})/salesOrders?$select=customerNumber&$filter=${{ customerNumber: numbers }}`;
        return numbers.map((one) => value.filter(({ customerNumber }) => customerNumber === one).length);
      }).load(number),
  },

  Query: {
    loyaltyLevels: (_root, { tier }) => levels.filter((level) => tier == null || level.tier === tier),
  },
};
