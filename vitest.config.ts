import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "dist/**", "test/controlplane/**"],
    pool: "threads",
    isolate: false,
    // The suites that take longest are plain computation: no core is left to itself.
    maxWorkers: "100%",
    testTimeout: 30_000,
  },
});
