import { describeInterruptions } from "./interruptions.ts";

describeInterruptions("lose-write");
