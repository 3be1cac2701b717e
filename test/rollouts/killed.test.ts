import { describeInterruptions } from "./interruptions.ts";

describeInterruptions("kill-after");
