import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  oxc: { jsx: { runtime: "automatic" } },
  test: {
    environment: "jsdom",
    environmentOptions: { jsdom: { url: "http://study.test/", pretendToBeVisual: true } },
    pool: "threads",
    testTimeout: 20_000, // typing is slow on a busy machine
    include: ["**/*.test.{ts,tsx}"],
    isolate: false, // the files of a worker share one page, as creating one takes most of the time
    setupFiles: ["shared/testing/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
    clearMocks: true,
  },
});
