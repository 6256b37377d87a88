// Kubernetes and Docker give these to each container, for each service that there is.
const serviceLink = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)$/;

/** `ADMIN_PORT=tcp://10.96.0.12:80` is of a service `admin`; with a number it is meant to be a setting. */
const isServiceLink = ([name, value = '']: readonly [string, string | undefined]) =>
  serviceLink.test(name) || (name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));

/** The environment without what Kubernetes and Docker set for services. */
export const withoutServiceLinks = (env: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(Object.entries(env).filter((entry) => !isServiceLink(entry)));
