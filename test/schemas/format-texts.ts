import { createRandom } from "../fuzz/random.ts";

/** Every format that the API server checks but for `password`, which takes anything. */
export const FORMATS: readonly string[] = [
  "bsonobjectid",
  "uri",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "cidr",
  "mac",
  "uuid",
  "uuid3",
  "uuid4",
  "uuid5",
  "isbn",
  "isbn10",
  "isbn13",
  "creditcard",
  "ssn",
  "hexcolor",
  "rgbcolor",
  "byte",
  "date",
  "duration",
  "date-time",
  "k8s-short-name",
  "k8s-long-name",
];

const SAMPLES: readonly string[] = [
  "",
  "a",
  "2024-02-29",
  "2024-01-01T00:00:00Z",
  "2024-01-01t23:59:59.123+01:00",
  "1.2.3.4",
  "::ffff:1.2.3.4",
  "1:2:3:4:5:6:7:8",
  "fe80::1%eth0",
  "10.0.0.0/8",
  "::/0",
  "00:00:5e:00:53:01",
  "0000.5e00.5301",
  "00-00-5e-00-53-01-aa-bb",
  "a@b.c",
  '"a b"@c.d',
  "Name X <c@d.e>",
  "<a@b>",
  "a@[1.2.3.4]",
  "a.b@c (comment)",
  "example.com",
  "xn--a.de",
  "é.com",
  "http://u:p@a.b:80/p?q#f",
  "/x/%20",
  "//a/b",
  "http://[::1]:80/",
  "http://[fe80::1%25en0]/",
  "mailto:x",
  "urn:a:b",
  "http:a",
  "*",
  "1h30m",
  "1 day",
  "-1.5h",
  "5 weeks",
  "9999999h",
  "1.5e3s",
  "100000d",
  "00000000-0000-4000-8000-000000000000",
  "00000000-0000-3000-8000-000000000000",
  "00000000-0000-5000-9000-000000000000",
  "0321751043",
  "043942089X",
  "978-0321751041",
  "4111 1111 1111 1111",
  "378282246310005",
  "111-22-3333",
  "111 22 3333",
  "#fff",
  "#FFFFFF",
  "rgb(0, 128,255)",
  "aGk=",
  "aGkA",
  "507f1f77bcf86cd799439011",
  "my-name",
  "a.b-c.d",
  "x".repeat(64),
  `${`${"a".repeat(63)}.`.repeat(3)}com`,
];
const CHARACTERS: readonly string[] = [
  ..."aAzZ019.:-_/@%[]#?<>\"' \t\n\\()é+=xfgTtZ,;~^`{|}$&*!\u{1f680}ſ\u0000",
];

/** Texts that have a format or are a slip away from it; equal seeds give equal lists. */
export function formatTexts(seed: number, count: number): readonly string[] {
  const random = createRandom(seed, 1);
  const texts = new Set(SAMPLES);
  while (texts.size < count) {
    const text = [...random.pick(SAMPLES)];
    for (let times = 1 + random.below(3); times > 0; times -= 1) {
      const at = random.below(text.length + 1);
      switch (random.below(5)) {
        case 0:
          text.splice(at, 1);
          break;
        case 1:
          text.splice(at, 0, random.pick(CHARACTERS));
          break;
        case 2:
          text[at] = random.pick(CHARACTERS);
          break;
        case 3:
          text.splice(at, 0, ...[...random.pick(SAMPLES)].slice(0, random.below(6)));
          break;
        default:
          text.splice(at, 0, ...text.slice(0, random.below(5)));
      }
    }
    texts.add(text.join("").toWellFormed());
  }
  return [...texts];
}
