import { expect, test } from "vitest";
import { readOptions } from "./options.ts";

const defaults = {
  address: "0.0.0.0:9443",
  certificates: "/certs",
  debug: false,
  maxMessageBytes: 67_108_864,
  metricsAddress: "0.0.0.0:8080",
};

test.each([
  ["Crossplane's environment", {}, { TLS_SERVER_CERTS_DIR: "/certs" }, {}],
  ["--tls-certs-dir", { "tls-certs-dir": "/certs" }, {}, {}],
  ["--tls-server-certs-dir", { "tls-server-certs-dir": "/certs" }, {}, {}],
  [
    "both names of one flag",
    { "tls-certs-dir": "/certs", "tls-server-certs-dir": "/certs" },
    {},
    {},
  ],
  [
    "a flag over the environment",
    { "tls-certs-dir": "/certs" },
    { TLS_SERVER_CERTS_DIR: "/other" },
    {},
  ],
  [
    "--insecure over the environment",
    { insecure: true },
    { TLS_SERVER_CERTS_DIR: "/certs" },
    { certificates: undefined },
  ],
  ["every interface", { "tls-certs-dir": "/certs", address: ":1" }, {}, { address: "0.0.0.0:1" }],
  ["IPv6", { "tls-certs-dir": "/certs", address: "[::1]:0" }, {}, { address: "[::1]:0" }],
  [
    "no metrics",
    { "tls-certs-dir": "/certs", "metrics-address": "" },
    {},
    { metricsAddress: undefined },
  ],
  ["--debug", { "tls-certs-dir": "/certs", debug: true }, {}, { debug: true }],
  [
    "--max-message-bytes",
    { "tls-certs-dir": "/certs", "max-message-bytes": "1" },
    {},
    { maxMessageBytes: 1 },
  ],
])("takes %s", (_, flags, env, changes) => {
  expect(readOptions(flags, env)).toStrictEqual({ ...defaults, ...changes });
});

test.each([
  [{}, "no certificates: give --tls-certs-dir DIR"],
  [{ insecure: true, "tls-certs-dir": "/a" }, '--insecure and a certificate directory ("/a")'],
  [
    { "tls-certs-dir": "/a", "tls-server-certs-dir": "/b" },
    '--tls-certs-dir is "/a" and --tls-server-certs-dir is "/b"',
  ],
  [{ insecure: true, address: "9443" }, '--address is "9443"; give host:port'],
  [{ insecure: true, address: "a:65536" }, '--address is "a:65536"; give host:port'],
  [{ insecure: true, "metrics-address": "http://a:1" }, '--metrics-address is "http://a:1"'],
  [
    { insecure: true, "max-message-bytes": "64Mi" },
    '--max-message-bytes is "64Mi"; give whole bytes',
  ],
  [{ insecure: true, "max-message-bytes": "0" }, '--max-message-bytes is "0"'],
  [{ insecure: true, "max-message-bytes": "1073741825" }, "from 1 to 1073741824"],
])("refuses %j and says why", (flags, problem) => {
  expect(readOptions(flags, {})).toContain(problem);
});
