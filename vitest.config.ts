import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["**/*.test.ts"],
    exclude: ["**/node_modules/**", "dist/**", "test/controlplane/**"],
    pool: "threads",
    isolate: false,
    testTimeout: 30_000,
  },
});
