import { describeInterruptions } from "./interruptions.ts";

describeInterruptions("lose-answer");
