import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Sockets } from "../../test/support/sockets.ts";
import { HttpClient, type HttpRequest, MOST_BODY_BYTES } from "./http.ts";

const sockets = new Sockets();
let client: HttpClient;

beforeEach(() => {
  client = new HttpClient();
});
afterEach(async () => {
  client.close();
  await sockets.close();
});

const get = (origin: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "GET",
  url: new URL("/x?y=1", origin),
  milliseconds: 5000,
  signal: new AbortController().signal,
  ...more,
});

describe("an answer", () => {
  test("has its status, headers and whole body, and a request what it was given", async () => {
    const origin = await sockets.serve(async (request, response) => {
      let sent = "";
      for await (const chunk of request) sent += chunk;
      const { method, url, headers } = request;
      response.writeHead(418, { "x-mine": "1" });
      response.end(
        JSON.stringify({
          method,
          url,
          sent,
          key: headers.authorization,
          type: headers["content-type"],
        }),
      );
    });
    const headers = { authorization: "Bearer k" };
    const outcome = await client.send(get(origin, { method: "POST", body: '{"a":1}', headers }));
    expect(outcome).toMatchObject({ state: "response", status: 418, headers: { "x-mine": "1" } });
    const body = outcome.state === "response" ? outcome.body.toString() : "";
    expect(JSON.parse(body)).toEqual({
      method: "POST",
      url: "/x?y=1",
      sent: '{"a":1}',
      key: "Bearer k",
      type: "application/json",
    });
  });

  test.each<[number, boolean, string]>([
    [MOST_BODY_BYTES, true, "response"],
    [MOST_BODY_BYTES, false, "response"],
    [MOST_BODY_BYTES + 1, true, "too large"],
    [MOST_BODY_BYTES + 1, false, "too large"],
  ])("of %i bytes, its length told %s: %s", async (length, told, state) => {
    const origin = await sockets.serve((_, response) => {
      if (told) response.setHeader("content-length", length);
      response.end(Buffer.alloc(length));
    });
    expect((await client.send(get(origin))).state).toBe(state);
  });

  test("without end is not waited for", async () => {
    const origin = await sockets.serve((_, response) => {
      const write = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      };
      response.on("drain", write);
      write();
    });
    expect(await client.send(get(origin))).toEqual({ state: "too large" });
  });

  test("that redirects is the answer", async () => {
    const asked: (string | undefined)[] = [];
    const origin = await sockets.serve((request, response) => {
      asked.push(request.url);
      response.writeHead(302, { location: "/elsewhere" }).end();
    });
    expect(await client.send(get(origin))).toMatchObject({ state: "response", status: 302 });
    expect(asked).toEqual(["/x?y=1"]);
  });
});

describe("no answer", () => {
  test("where nothing listens", async () => {
    const origin = await sockets.serve(() => {});
    await sockets.close();
    expect(await client.send(get(origin))).toEqual({ state: "failed", problem: "ECONNREFUSED" });
  });

  test.each<[string, boolean]>([
    ["nothing", false],
    ["half of it", true],
  ])("in time: the server sends %s", async (_, half) => {
    const origin = await sockets.serve((_, response) => {
      if (half) response.writeHead(200, { "content-length": 10 }).write("half");
    });
    expect(await client.send(get(origin, { milliseconds: 50 }))).toEqual({
      state: "failed",
      problem: "no complete answer in time",
    });
  });

  test("that is whole", async () => {
    const origin = await sockets.serve((request, response) => {
      response.writeHead(200, { "content-length": 10 });
      response.write("half", () => request.socket.destroy());
    });
    expect(await client.send(get(origin))).toEqual({
      state: "failed",
      problem: "the answer was cut off",
    });
  });

  test("of HTTP", async () => {
    const origin = await sockets.serve(({ socket }) => socket.end("220 mail.example.org\r\n"));
    expect(await client.send(get(origin))).toMatchObject({
      state: "failed",
      problem: expect.stringContaining("HPE_"),
    });
  });

  test("where nobody wants it any more", async () => {
    const gone = new AbortController();
    const origin = await sockets.serve(() => gone.abort());
    const outcome = { state: "failed", problem: "cancelled" };
    expect(await client.send(get(origin, { signal: gone.signal }))).toEqual(outcome);
    expect(await client.send(get(origin, { signal: gone.signal }))).toEqual(outcome);
  });

  test("to a key that no header can carry, which is not shown", async () => {
    const origin = await sockets.serve((_, response) => response.end());
    const outcome = await client.send(get(origin, { headers: { authorization: "Bearer a\nb" } }));
    expect(outcome).toEqual({ state: "failed", problem: "a header holds what HTTP can't carry" });
  });
});

describe("a kept connection", () => {
  test("is used again", async () => {
    const ports = new Set<number | undefined>();
    const origin = await sockets.serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end("{}");
    });
    for (let count = 0; count < 3; count++) await client.send(get(origin));
    expect(ports.size).toBe(1);
  });

  test("that the server has closed costs one more attempt and no failure", async () => {
    let requests = 0;
    const origin = await sockets.serve((request, response) => {
      requests++;
      // Once it has served, the connection breaks as the next request arrives.
      if (requests === 2) request.socket.resetAndDestroy();
      else response.end("{}");
    });
    expect((await client.send(get(origin))).state).toBe("response");
    expect((await client.send(get(origin))).state).toBe("response");
    expect(requests).toBe(3);
  });

  test("is not blamed where a new one breaks too", async () => {
    const origin = await sockets.serve((request) => request.socket.resetAndDestroy());
    expect(await client.send(get(origin))).toEqual({ state: "failed", problem: "ECONNRESET" });
  });
});
