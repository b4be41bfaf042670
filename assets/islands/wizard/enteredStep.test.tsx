import { expect, it, vi } from "vitest";

import { session } from "../../shared/auth/browser";
import { mount } from "../../shared/mount";
import { tokenFor } from "../../shared/testing/tokens";

const values = {
  title: "Old",
  subject: "",
  difficulty: "",
  language: "en",
  outcomes: [],
  prerequisites: [],
  plate_variant: 0,
  pricing: { kind: "one_time", price: "20" },
};

it("keeps the focus in the price while the wizard comes, though its step is fetched by itself", async () => {
  const socket = { addEventListener: vi.fn(), close: vi.fn(), send: vi.fn() };
  vi.stubGlobal("WebSocket", function open() {
    return socket;
  });
  vi.stubGlobal("fetch", () => Promise.resolve(Response.json({ results: [] })));
  Element.prototype.scrollIntoView = vi.fn();
  session.login(
    { id: "ada", username: "ada", email: "ada@example.com", role: "instructor" },
    tokenFor(900),
  );
  const course = {
    uid: "7",
    slug: "coins",
    status: "draft",
    badge: { label: "Draft", pip: "", tone: "" },
    can_edit: true,
    values: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, { value, version: "1" }]),
    ),
    checks: [],
    card_html: "",
  };
  const props = {
    course,
    user: "ada",
    subjects: [],
    prerequisites: [],
    pricings: [{ value: "one_time", label: "One-time price", hint: "" }],
    priceLabel: "Price in US Dollar",
    addresses: { promoCodes: "/codes" },
  };
  document.body.innerHTML = `<div data-island="wizard"><input type="radio" name="pricing" value="one_time" checked>
    <input name="price" value="20"></div>
    <script type="application/json">${JSON.stringify(props)}</script>`;
  const spot = document.querySelector<HTMLElement>("[data-island]")!;
  const field = spot.querySelector<HTMLInputElement>("[name=price]")!;
  field.focus();
  field.value = "205";
  field.setSelectionRange(2, 2);
  await mount(spot, { wizard: () => import(".") });

  const now = document.activeElement as HTMLInputElement;
  expect(now.dataset.field).toBe("price");
  expect([now.value, now.selectionStart]).toEqual(["205", 2]);
});
