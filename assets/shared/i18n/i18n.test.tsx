import { render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  document.head.innerHTML = "";
  document.documentElement.lang = "en";
  vi.resetModules();
});

/** A page as the server writes it for a site in another language; what is imported after it reads it. */
function page(messages: object): void {
  document.documentElement.lang = "eo";
  document.head.innerHTML = `<script type="application/json" id="study-messages">${JSON.stringify(messages)}</script>`;
  vi.resetModules();
}

it("shows an island's texts in the language of the page", async () => {
  page({ "Something went wrong!": "⟦Šömétĥîñg⟧", "Show Error": "⟦Šĥöw⟧" });
  const { ErrorView } = await import("../errors/views");

  render(<ErrorView error={new Error("x")} />);

  expect(screen.getByText("⟦Šömétĥîñg⟧")).toBeTruthy();
  expect(screen.getByRole("button", { name: "⟦Šĥöw⟧" })).toBeTruthy();
});

it("shows an error of the catalog in the language of the page, its places filled", async () => {
  page({
    "The response is taking too long": "⟦Löñg⟧",
    "The server didn't respond within %(seconds)s seconds. Your progress is saved.":
      "⟦%(seconds)s š.⟧",
    "Try again": "⟦Àgàîñ⟧",
  });
  const { lookup, makeError } = await import("../api/errors");

  const { title, detail } = makeError("NETWORK_TIMEOUT", { seconds: 30 }).problem;

  expect([title, detail]).toEqual(["⟦Löñg⟧", "⟦30 š.⟧"]);
  expect(lookup("NETWORK_TIMEOUT").action?.label).toBe("⟦Àgàîñ⟧");
});

it("counts by the plural rules of the page's language", async () => {
  page({ "{count} hour": { one: "{count} ĥöûr", other: "{count} ĥöûrš" } });
  const { tn } = await import(".");

  expect([1, 2].map((count) => tn("{count} hour", "{count} hours", count))).toEqual([
    "1 ĥöûr",
    "2 ĥöûrš",
  ]);
});
