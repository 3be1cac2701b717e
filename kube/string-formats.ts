// The formats of strings (kube-openapi `strfmt`) that schemas and the CEL library `format` share.

/** Whether a text is padded base64 of at least one group. */
export function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}

/** Whether a text is a day of the calendar, as RFC 3339 writes it. */
export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1).map(Number);
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (days[month - 1] ?? 0);
}

/**
 * Whether a text is a moment in RFC 3339, in upper or lower case letters; 24:00 and leap seconds fail,
 * and what follows a second "t" is not looked at.
 */
export function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  if (time === undefined || !isDate(date)) return false;
  const match = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/.exec(time);
  const [, hours = "99", minutes = "", seconds = ""] = match ?? [];
  return hours <= "23" && minutes <= "59" && seconds <= "59";
}
