import { civilFromDays, daysFromCivil } from "./calendar.ts";

declare const instantBrand: unique symbol;

/** A moment, in milliseconds since 1970-01-01 UTC. */
export type Instant = number & { readonly [instantBrand]: never };

/** The moment so many milliseconds later, or earlier where they are negative. */
export function after(at: Instant, milliseconds: number): Instant {
  return (at + milliseconds) as Instant;
}

const RFC3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** Reads an RFC 3339 time as the API server writes one, to the millisecond; `undefined` for any other text. */
export function parseInstant(text: string | undefined): Instant | undefined {
  const [, ...parts] = RFC3339.exec(text ?? "") ?? [];
  if (parts.length === 0) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(0, 6).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = parts.slice(6);
  const days = daysFromCivil(year, month, day);
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === "-" ? -1 : 1);
  const seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
  return (seconds * 1000 + Number(fraction.padEnd(3, "0").slice(0, 3))) as Instant;
}

/** Writes a moment as Kubernetes does in a metav1.Time: RFC 3339 in UTC, whole seconds, cut. */
export function formatInstant(at: Instant): string {
  const seconds = Math.floor(at / 1000);
  const days = Math.floor(seconds / 86_400);
  const ofDay = seconds - days * 86_400;
  const { year, month, day } = civilFromDays(days);
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = [Math.floor(ofDay / 3600), Math.floor(ofDay / 60) % 60, ofDay % 60].map(two);
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}T${clock.join(":")}Z`;
}

/** Writes a moment as Kubernetes does in a metav1.MicroTime: RFC 3339 in UTC with six decimals. */
export function formatMicroTime(at: Instant): string {
  const milliseconds = ((at % 1000) + 1000) % 1000;
  return `${formatInstant(at).slice(0, -1)}.${String(milliseconds).padStart(3, "0")}000Z`;
}
