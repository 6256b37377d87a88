/** The environment variables of this process. A function, because each test project sets its own. */
// biome-ignore lint/style/noProcessEnv: the one place where tests read it
export const environment = () => process.env;
