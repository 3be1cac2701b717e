import { defineConfig } from "vitest/config";

// Suites against a real control plane: one at a time, since each has its own on two cores.
export default defineConfig({
  test: {
    include: ["test/controlplane/**/*.test.ts"],
    pool: "threads",
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
