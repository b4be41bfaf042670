import { fileURLToPath } from "node:url";

import js from "@eslint/js";
import jsxA11y from "eslint-plugin-jsx-a11y";
import reactHooks from "eslint-plugin-react-hooks";
import testingLibrary from "eslint-plugin-testing-library";
import tseslint from "typescript-eslint";

// Patterns are relative to the root of the repository, where `npm run lint` runs.
const here = fileURLToPath(new URL(".", import.meta.url));

const noDefaultExports = {
  selector: "ExportDefaultDeclaration",
  message: "Use named exports, so that everything has one name.",
};
const noForeignIslands = [
  {
    group: ["**/islands/*", "**/islands/*/**", "!./islands/*"],
    message: "shared/ and site/ must not import islands.",
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
      // Each takes as long as all other rules together and finds nothing here: there are no enums and no
      // interchangeable classes, and editors mark deprecated code.
      "@typescript-eslint/no-deprecated": "off",
      "@typescript-eslint/no-unsafe-class-instance-assignment": "off",
      "@typescript-eslint/no-unsafe-enum-assignment": "off",
      // `data-*` attributes are read by name, and the compiler checks index signatures.
      "@typescript-eslint/dot-notation": "off",
    },
  },
  {
    // Other rules of the plugin run the React compiler, which the build does not use.
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
    // A tab panel without controls must be focusable, so that it can be scrolled.
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
    // An island imports shared/, offline/ and itself, never another island.
    files: ["assets/islands/*/**/*.{ts,tsx}"],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              regex: "^(\\.\\./)+(?!shared/|offline/|\\.\\./)[a-z-]+/",
              message: "An island imports shared/, offline/ and itself.",
            },
          ],
        },
      ],
    },
  },
  {
    // Tests of React components; other tests query the DOM.
    files: ["**/*.test.tsx"],
    ...testingLibrary.configs["flat/react"],
  },
  {
    files: ["**/*.test.{ts,tsx}", "assets/shared/testing/**"],
    rules: {
      // Tests check document.activeElement.
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
