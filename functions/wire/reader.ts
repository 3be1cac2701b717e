import { isUtf8 } from "node:buffer";
import { MalformedMessage } from "./malformed.ts";

/** Protobuf wire types that proto3 messages use. */
const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

const LONGEST_VARINT = 10;
const REPLACEMENT_CHARACTER = "\ufffd";
/** Strings up to this length are looked up in the table; longer ones rarely repeat. */
const LONGEST_INTERNED = 32;
const TABLE_SIZE = 512;

/**
 * Reads the protobuf wire format strictly, from one buffer: throws MalformedMessage on truncated
 * data, bad tags, groups, overlong varints and bad UTF-8, and never reads past the given end.
 */
export class WireReader {
  readonly bytes: Buffer;
  /** Offset of the next byte to read. */
  at = 0;
  private readonly view: DataView;
  /** Short strings seen before: field names repeat hundreds of times in one request. */
  private readonly interned: (string | undefined)[] = new Array(TABLE_SIZE).fill(undefined);

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Reads a field's tag: the field number times eight, plus one of the four proto3 wire types. */
  tag(end: number): number {
    const tag = this.varint(end);
    if (tag > 0xffff_ffff) throw this.malformed("a field number is out of range");
    const type = tag & 7;
    if (type > LENGTH_DELIMITED && type !== FIXED32) {
      const what = type === 3 || type === 4 ? "a group, which proto3 does not have" : "unknown";
      throw this.malformed(`wire type ${type} is ${what}`);
    }
    if (tag < 8) throw this.malformed("field number 0 is not allowed");
    return tag;
  }

  /** Reads a length and returns the offset where the field ends, which lies within `end`. */
  fieldEnd(end: number): number {
    const length = this.varint(end);
    if (length > end - this.at) {
      throw this.malformed(`a field of ${length} bytes does not fit in the ${end - this.at} left`);
    }
    return this.at + length;
  }

  /**
   * Reads a varint; what lies beyond 53 bits is rounded, which none of our fields can tell, since
   * the enums and booleans of the protocol are small and lengths are checked.
   */
  varint(end: number): number {
    const first = this.bytes[this.at] ?? 0x80;
    if (first >= 0x80 || this.at >= end) return this.longVarint(end);
    this.at++;
    return first;
  }

  /** Reads a double as protobuf stores it, little-endian. */
  double(end: number): number {
    if (end - this.at < 8) throw this.malformed("a number is cut off");
    const value = this.view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  /** Reads a length-delimited string. */
  string(end: number): string {
    const start = this.at;
    const stop = this.fieldEnd(end);
    const from = this.at;
    this.at = stop;
    if (stop - from <= LONGEST_INTERNED) return this.shortString(from, stop);
    const text = this.bytes.toString("utf8", from, stop);
    // The lenient decoder is several times faster; only its replacement character raises a doubt.
    if (text.includes(REPLACEMENT_CHARACTER) && !isUtf8(this.bytes.subarray(from, stop))) {
      this.at = start;
      throw this.malformed("a string is not valid UTF-8");
    }
    return text;
  }

  /** Goes to the start of bytes that `raw` returned, and returns the offset of their end. */
  enter(bytes: Buffer): number {
    this.at = bytes.byteOffset - this.bytes.byteOffset;
    return this.at + bytes.length;
  }

  /** Reads a length-delimited field as bytes that share this reader's memory. */
  raw(end: number): Buffer {
    const stop = this.fieldEnd(end);
    const bytes = this.bytes.subarray(this.at, stop);
    this.at = stop;
    return bytes;
  }

  /**
   * Skips a field that the message does not define; refuses one of the message's own fields, which
   * are numbered 1 to `known`, since it has the wrong wire type then and would be lost in silence.
   */
  skip(tag: number, end: number, known: number): void {
    const type = tag & 7;
    if (tag >>> 3 <= known) throw this.malformed(`field ${tag >>> 3} has wire type ${type}`);
    if (type === VARINT) this.varint(end);
    else if (type === LENGTH_DELIMITED) this.at = this.fieldEnd(end);
    else {
      const width = type === FIXED64 ? 8 : 4;
      if (end - this.at < width) throw this.malformed("a number is cut off");
      this.at += width;
    }
  }

  /** Builds the error for what is wrong at the current offset. */
  malformed(problem: string): MalformedMessage {
    return new MalformedMessage(`${problem} (byte ${this.at} of ${this.bytes.length})`);
  }

  private longVarint(end: number): number {
    let value = 0;
    let scale = 1;
    for (let count = 1; count <= LONGEST_VARINT; count++) {
      if (this.at >= end) throw this.malformed("a number is cut off");
      const byte = this.bytes[this.at++] ?? 0;
      if (count === LONGEST_VARINT && byte > 1) throw this.malformed("a number exceeds 64 bits");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 0x80;
    }
    throw this.malformed("a number exceeds 64 bits");
  }

  private shortString(from: number, stop: number): string {
    const { bytes } = this;
    let hash = stop - from;
    let high = 0;
    for (let i = from; i < stop; i++) {
      const byte = bytes[i] ?? 0;
      high |= byte;
      hash = (Math.imul(hash, 31) + byte) | 0;
    }
    if (high >= 0x80) return this.shortUnicode(from, stop);
    const slot = (hash ^ (hash >>> 9)) & (TABLE_SIZE - 1);
    const known = this.interned[slot];
    if (known !== undefined && known.length === stop - from && this.same(known, from)) return known;
    const text = bytes.toString("latin1", from, stop);
    this.interned[slot] = text;
    return text;
  }

  private same(text: string, from: number): boolean {
    for (let i = 0; i < text.length; i++) {
      if (text.charCodeAt(i) !== this.bytes[from + i]) return false;
    }
    return true;
  }

  private shortUnicode(from: number, stop: number): string {
    if (!isUtf8(this.bytes.subarray(from, stop))) {
      throw this.malformed("a string is not valid UTF-8");
    }
    return this.bytes.toString("utf8", from, stop);
  }
}
