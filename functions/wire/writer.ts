const FIRST_SIZE = 32_768;
/** Longer strings are handed to the engine's own encoder; below, the call costs more than a loop. */
const LONGEST_LOOPED = 48;

/**
 * Writes the protobuf wire format from back to front, so that a message's length is known when its
 * prefix is written and nothing is measured twice. Fields are therefore written in reverse order.
 */
export class WireWriter {
  private buffer: Buffer;
  private view: DataView;
  /** Offset of the first byte written so far; everything from here to the end is the message. */
  private at: number;

  constructor(size = FIRST_SIZE) {
    this.buffer = Buffer.allocUnsafeSlow(size);
    this.view = new DataView(this.buffer.buffer);
    this.at = size;
  }

  /** Bytes written so far; the mark that `close` needs to frame what was written since. */
  get length(): number {
    return this.buffer.length - this.at;
  }

  /** The message, as bytes that share this writer's memory. */
  finish(): Buffer {
    return this.buffer.subarray(this.at);
  }

  /** Puts tag and length before everything written since `mark`, which makes it one field. */
  close(tag: number, mark: number): void {
    const length = this.length - mark;
    if (length >= 0x80) this.varint(length);
    else this.byte(length);
    this.byte(tag);
  }

  /** Writes a string field. */
  string(tag: number, text: string): void {
    const mark = this.length;
    this.text(text);
    this.close(tag, mark);
  }

  /** Writes a field whose encoding is already known. */
  raw(tag: number, bytes: Uint8Array): void {
    const mark = this.length;
    this.append(bytes);
    this.close(tag, mark);
  }

  /** Writes bytes as they are. */
  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.at -= bytes.length;
    this.buffer.set(bytes, this.at);
  }

  /** Writes a boolean, enum or other small non-negative integer field. */
  integer(tag: number, value: number): void {
    this.varint(value);
    this.byte(tag);
  }

  /** Writes a double field. */
  double(tag: number, value: number): void {
    this.reserve(9);
    this.at -= 8;
    this.view.setFloat64(this.at, value, true);
    this.buffer[--this.at] = tag;
  }

  private byte(value: number): void {
    if (this.at === 0) this.grow(1);
    this.buffer[--this.at] = value;
  }

  private varint(value: number): void {
    this.reserve(5);
    let size = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++;
    this.at -= size;
    let rest = value;
    for (let i = 0; i < size - 1; i++) {
      this.buffer[this.at + i] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.buffer[this.at + size - 1] = rest;
  }

  private text(text: string): void {
    if (text.length > LONGEST_LOOPED) {
      this.longText(text);
      return;
    }
    this.reserve(text.length);
    const { buffer } = this;
    let at = this.at;
    for (let i = text.length - 1; i >= 0; i--) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) {
        this.longText(text);
        return;
      }
      buffer[--at] = code;
    }
    this.at = at;
  }

  private longText(text: string): void {
    const size = Buffer.byteLength(text);
    this.reserve(size);
    this.at -= size;
    this.buffer.write(text, this.at, size, size === text.length ? "latin1" : "utf8");
  }

  private reserve(size: number): void {
    if (size > this.at) this.grow(size);
  }

  private grow(size: number): void {
    const written = this.finish();
    const capacity = Math.max(this.buffer.length * 2, written.length + size);
    const larger = Buffer.allocUnsafeSlow(capacity);
    this.at = capacity - written.length;
    larger.set(written, this.at);
    this.buffer = larger;
    this.view = new DataView(larger.buffer);
  }
}
