import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

// Parts that listen at the document or keep the session of the page: each file of these gets a page of its own.
// All other files share one per worker, which is most of the run's time.
const alone = ["site/**/*.test.ts", "lesson/**/*.test.ts", "shared/mount.test.tsx"];
const all = ["**/*.test.{ts,tsx}"];

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  oxc: { jsx: { runtime: "automatic" } },
  test: {
    environment: "jsdom",
    environmentOptions: { jsdom: { url: "http://study.test/", pretendToBeVisual: true } },
    pool: "threads",
    testTimeout: 20_000, // a busy machine types slowly
    projects: [
      { extends: true, test: { name: "parts", include: all, exclude: alone, isolate: false } },
      { extends: true, test: { name: "pages", include: alone } },
    ],
    setupFiles: ["shared/testing/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
    clearMocks: true,
  },
});
