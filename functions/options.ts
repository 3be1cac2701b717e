import type { ParseArgsConfig } from "node:util";

/** How the function server is started; see `optionsHelp` for what each flag means to a user. */
export interface ServerOptions {
  /** `host:port` to listen on; port 0 takes any free one. */
  readonly address: string;
  /** The directory of tls.crt, tls.key and ca.crt, or `undefined` for plain text. */
  readonly certificates: string | undefined;
  readonly debug: boolean;
  readonly maxMessageBytes: number;
  /** `host:port` of metrics and probes, or `undefined` for none. */
  readonly metricsAddress: string | undefined;
}

/** What `util.parseArgs` found for `optionFlags`. */
export type FlagValues = Readonly<Record<string, unknown>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** The flags that Crossplane's function specification asks for, and our own. */
export const optionFlags = {
  address: { type: "string" },
  insecure: { type: "boolean" },
  "tls-certs-dir": { type: "string" },
  "tls-server-certs-dir": { type: "string" },
  debug: { type: "boolean", short: "d" },
  "max-message-bytes": { type: "string" },
  "metrics-address": { type: "string" },
} as const satisfies NonNullable<ParseArgsConfig["options"]>;

/** Describes `optionFlags` in the text of `--help`. */
export const optionsHelp = `  --address HOST:PORT          listen here (default 0.0.0.0:9443)
  --tls-certs-dir DIR          directory with tls.crt, tls.key and ca.crt; callers must show a
                               certificate that ca.crt signed; read again when the files change
                               (also --tls-server-certs-dir, or env TLS_SERVER_CERTS_DIR)
  --insecure                   serve plain text to any caller, for development
  --metrics-address HOST:PORT  Prometheus /metrics, and /healthz and /readyz, over plain HTTP
                               (default 0.0.0.0:8080; "" turns them off)
  --max-message-bytes N        largest request taken (default 67108864, which is 64 MiB)
  -d, --debug                  log every call
`;

const DEFAULT_ADDRESS = "0.0.0.0:9443";
const DEFAULT_METRICS_ADDRESS = "0.0.0.0:8080";
const DEFAULT_MESSAGE_BYTES = 64 * 1024 * 1024;
const LARGEST_MESSAGE = 1024 * 1024 * 1024;

/** Reads flags and environment into options, or says which flag is wrong, its value and a remedy. */
export function readOptions(flags: FlagValues, env: Environment): ServerOptions | string {
  const address = text(flags, "address") ?? DEFAULT_ADDRESS;
  const metricsAddress = text(flags, "metrics-address") ?? DEFAULT_METRICS_ADDRESS;
  const bytes = text(flags, "max-message-bytes") ?? String(DEFAULT_MESSAGE_BYTES);
  const maxMessageBytes = /^[0-9]{1,10}$/.test(bytes) ? Number(bytes) : 0;
  const problem =
    badAddress("--address", address) ??
    (metricsAddress === "" ? undefined : badAddress("--metrics-address", metricsAddress)) ??
    (maxMessageBytes < 1 || maxMessageBytes > LARGEST_MESSAGE
      ? `--max-message-bytes is "${bytes}"; give whole bytes from 1 to ${LARGEST_MESSAGE}`
      : undefined);
  if (problem !== undefined) return problem;
  const certificates = certificateDirectory(flags, env);
  if (typeof certificates === "object") return certificates.problem;
  return {
    address: listenAddress(address),
    certificates,
    debug: flags.debug === true,
    maxMessageBytes,
    metricsAddress: metricsAddress === "" ? undefined : listenAddress(metricsAddress),
  };
}

function certificateDirectory(
  flags: FlagValues,
  env: Environment,
): string | undefined | { readonly problem: string } {
  const one = text(flags, "tls-certs-dir");
  const other = text(flags, "tls-server-certs-dir");
  if (one !== undefined && other !== undefined && one !== other) {
    return {
      problem: `--tls-certs-dir is "${one}" and --tls-server-certs-dir is "${other}"; they mean the same, so give one`,
    };
  }
  const directory = one ?? other;
  if (flags.insecure === true) {
    // Crossplane sets the variable in every function's pod; only a flag contradicts --insecure.
    return directory === undefined
      ? undefined
      : { problem: `--insecure and a certificate directory ("${directory}") exclude each other` };
  }
  const found = directory ?? env.TLS_SERVER_CERTS_DIR;
  if (found !== undefined && found !== "") return found;
  return {
    problem:
      "no certificates: give --tls-certs-dir DIR (tls.crt, tls.key, ca.crt) or set TLS_SERVER_CERTS_DIR, or pass --insecure for development",
  };
}

function badAddress(flag: string, value: string): string | undefined {
  const found = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]*):([0-9]{1,5})$/.exec(value);
  if (found !== null && Number(found[2]) <= 65_535) return undefined;
  return `${flag} is "${value}"; give host:port, for example 127.0.0.1:9443 or [::1]:9443`;
}

/** A missing host means every interface, as for Go programs. */
function listenAddress(value: string): string {
  return value.startsWith(":") ? `0.0.0.0${value}` : value;
}

function text(flags: FlagValues, name: string): string | undefined {
  const value = flags[name];
  return typeof value === "string" ? value : undefined;
}
