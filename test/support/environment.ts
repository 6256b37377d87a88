/** The variables of this process. A function: each project of the tests has its own. */
// biome-ignore lint/style/noProcessEnv: the one place where tests read it
export const environment = () => process.env;
