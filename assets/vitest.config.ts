import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  oxc: { jsx: { runtime: "automatic" } },
  test: {
    environment: "jsdom",
    environmentOptions: { jsdom: { url: "http://study.test/", pretendToBeVisual: true } },
    include: ["**/*.test.{ts,tsx}"],
    setupFiles: ["shared/testing/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
    clearMocks: true,
  },
});
