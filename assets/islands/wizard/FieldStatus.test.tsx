import { render, screen } from "@testing-library/react";
import { expect, it } from "vitest";

import { FieldStatus } from "./FieldStatus";

it("shows what another author wrote, and asks", () => {
  render(
    <FieldStatus
      id="f"
      field={{
        value: "mine",
        state: "conflict",
        problem: "",
        conflict: { value: "theirs", version: "2", by: "Ana", at: "2026-01-15T12:00:00Z" },
        incoming: null,
      }}
      show={String}
      onResolve={() => undefined}
      onShow={() => undefined}
    />,
  );
  expect(screen.getByRole("alert").textContent).toContain("while you were writing");
  expect(screen.getByText("theirs")).toBeDefined();
  expect(screen.getByRole("button", { name: "Keep mine" })).toBeDefined();
});
