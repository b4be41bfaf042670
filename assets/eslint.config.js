import { fileURLToPath } from "node:url";

import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import testingLibrary from "eslint-plugin-testing-library";
import tseslint from "typescript-eslint";

// Patterns count from the root of the repository, where `npm run lint` runs.
const here = fileURLToPath(new URL(".", import.meta.url));

const noDefaultExports = {
  selector: "ExportDefaultDeclaration",
  message: "Export by name, so that a thing has one name everywhere.",
};
const noForeignIslands = [
  {
    group: ["**/islands/*", "**/islands/*/**", "!./islands/*"],
    message: "shared/ and site/ know no island.",
  },
];

export default tseslint.config(
  { ignores: ["**/*.gen.ts"] },
  js.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    extends: [...tseslint.configs.strictTypeChecked, ...tseslint.configs.stylisticTypeChecked],
    languageOptions: {
      parserOptions: { project: "./tsconfig.json", tsconfigRootDir: here },
    },
    rules: {
      eqeqeq: "error",
      "no-console": "error",
      "no-restricted-syntax": ["error", noDefaultExports],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/consistent-type-definitions": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": [
        "error",
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Each costs as much as all others together, and finds nothing here: there is no enum, and no class
      // stands in for another; the editor strikes out what is deprecated.
      "@typescript-eslint/no-deprecated": "off",
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      // `data-*` attributes are read by name; the compiler's own index check is stricter anyway.
      "@typescript-eslint/dot-notation": "off",
    },
  },
  {
    // The plugin's other rules compile each file as React's compiler would, which the build does not use.
    files: ["**/*.tsx", "**/use*.ts", "**/hooks.ts", "**/hooks/*.ts"],
    ignores: ["**/*.test.tsx"],
    plugins: { "react-hooks": reactHooks },
    rules: {
      "react-hooks/rules-of-hooks": "error",
      "react-hooks/exhaustive-deps": "error",
    },
  },
  { files: ["**/*.tsx"], ...jsxA11y.flatConfigs.strict },
  {
    // A panel of tabs without a control of its own must be reachable to be scrolled and read.
    files: ["**/*.tsx"],
    rules: {
      "jsx-a11y/no-noninteractive-tabindex": ["error", { roles: ["tabpanel", "region"], tags: [] }],
    },
  },
  {
    files: ["assets/shared/**/*.{ts,tsx}", "assets/site/**/*.ts", "assets/*.ts"],
    ignores: ["assets/shared/mount.tsx", "assets/shared/mount.test.tsx"],
    rules: { "no-restricted-imports": ["error", { patterns: noForeignIslands }] },
  },
  {
    // An island may use shared/, never another island.
    files: ["assets/islands/*/**/*.{ts,tsx}"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              regex: "^(\\.\\./)+(?!shared/|\\.\\./)[a-z-]+/",
              message: "An island imports shared/ and itself.",
            },
          ],
        },
      ],
    },
  },
  {
    // Tests of React parts; those of plain pages look at the DOM itself.
    files: ["**/*.test.tsx"],
    ...testingLibrary.configs["flat/react"],
  },
  {
    files: ["**/*.test.{ts,tsx}", "assets/shared/testing/**"],
    rules: {
      // Where the focus is, only the document knows.
      "testing-library/no-node-access": "off",
      "@typescript-eslint/no-non-null-assertion": "off",
      "@typescript-eslint/unbound-method": "off",
    },
  },
  {
    files: ["assets/*.config.{js,ts}"],
    rules: { "no-restricted-syntax": "off" },
  },
  {
    files: ["assets/*.mjs", "assets/*.config.js"],
    languageOptions: {
      globals: {
        console: "readonly",
        process: "readonly",
        performance: "readonly",
        URL: "readonly",
      },
    },
  },
);
